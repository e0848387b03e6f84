import PhoneClient
import Terminal
import JSON
import DaemonRuntime
import PhonePolicy
import Reports

/// Delivers a push from a file.
enum PushVerb: Verb {
  /// Apple's limit for the payload.
  static let sizeMax = 4096

  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "push", summary: "deliver a push to the phone, in the format that `xcrun simctl push` takes",
      options: [
        OptionDeclaration("--silent", help: "a silent push, without a file"),
        OptionDeclaration(
          "--type", value: .text("TEXT"), help: "with --silent: the payload's `reason`"),
      ],
      positionals: [
        PositionalDeclaration(
          "FILE", value: .path("FILE"), count: .optional,
          help: "a JSON object with `aps`, at most 4096 bytes; - reads stdin")
      ],
      examples: [
        ("baton push payment.apns", "an alert with mutable-content goes to the extension"),
        (
          "echo '{\"aps\":{\"badge\":3}}' | baton push -",
          "a badge alone changes the icon and starts no process"
        ),
        (
          "echo '{\"aps\":{\"alert\":\"Hello\",\"mutable-content\":1}}' | baton push -",
          "an alert from standard input"
        ),
        (
          "baton push --silent --type IncomingPayment",
          "wakes the app in the background, if the phone allows it"
        ),
      ])
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let bytes = try payload(invocation)
    for remark in remarks(on: bytes) { invocation.output.remark(remark) }
    let answer = try invocation.phone.ask(.iosd, ControlMessage("push", body: bytes))
    let id = answer["id"] ?? "?"
    let document = Document(
      id: UInt64(id), fate: answer["fate"], fateCode: answer["fate-code"],
      waking: answer["waking"].flatMap { UInt64($0) }, wakingFate: answer["waking-fate"],
      wakingFateCode: answer["waking-fate-code"])
    func words(_ name: String) -> String { answer[name].map { ": \($0.onOneLine)" } ?? "" }
    let waking =
      answer["waking"].map { "; the push that wakes the app is \($0)\(words("waking-fate"))" } ?? ""
    let isHeld = answer["fate-code"] == PushFateCode.held.rawValue
    let way = isHeld ? "is on its way to the phone" : "was delivered to the phone"
    // A fate that says the same is not repeated.
    let fate = document.fateCode == PushFateCode.delivered.rawValue ? "" : words("fate")
    invocation.output.say("push \(id) \(way)\(fate)\(waking)", json: document)
    return .done
  }

  struct Document: Report {
    var id: UInt64?
    /// The outcome so far.
    var fate: String?
    var fateCode: String?
    /// An alert with `content-available` is a second push, which wakes the app.
    var waking: UInt64?
    var wakingFate: String?
    var wakingFateCode: String?
  }

  private struct SilentPush: Report {
    var aps = ["content-available": 1]
    var reason: String?
  }

  private static func payload(_ invocation: Invocation) throws(CommandFailure) -> [UInt8] {
    let path = invocation.word()
    let line = invocation.line
    if line.isGiven("--silent") {
      guard path.isEmpty else {
        throw CommandFailure(.wrongUsage, "FILE and --silent exclude each other; give one of them")
      }
      return try silent(about: line.text("--type"))
    }
    guard !line.isGiven("--type") else {
      throw CommandFailure(.wrongUsage, "--type requires --silent; in a file use the member `reason`")
    }
    guard !path.isEmpty else {
      throw CommandFailure(
        .wrongUsage, "FILE is missing: a JSON object with `aps`, at most 4096 bytes; or write --silent")
    }
    let bytes = try read(path)
    try check(bytes, name: name(of: path))
    return bytes
  }

  private static func silent(about type: String?) throws(CommandFailure) -> [UInt8] {
    let bytes = Array(SilentPush(reason: type).json.utf8)
    try check(bytes, name: "the push")
    return bytes
  }

  private static func name(of path: String) -> String { path == "-" ? "stdin" : path }

  private static func read(_ path: String) throws(CommandFailure) -> [UInt8] {
    // One byte above the limit is enough to detect a file that is too long.
    let bytes =
      path == "-"
      ? SmallFile.readStandardInput(limit: sizeMax + 1) : SmallFile.read(path, limit: sizeMax + 1)
    let name = name(of: path)
    guard let bytes else { throw CommandFailure(.inputOutputError, SystemError("read \(name)").description) }
    if bytes.isEmpty {
      throw CommandFailure(
        .wrongUsage, "\(name) is empty; write a push such as {\"aps\": {\"alert\": \"Hello\"}}")
    }
    return bytes
  }

  static func check(_ bytes: [UInt8], name: String) throws(CommandFailure) {
    guard bytes.count <= sizeMax else {
      throw CommandFailure(
        .wrongUsage, "\(name) is longer than the \(sizeMax) bytes that a push may have; shorten it")
    }
    if let trouble = PushBytes.trouble(in: bytes) {
      throw CommandFailure(.wrongUsage, "\(name) \(trouble.words)")
    }
    if let fault = JSONFault(in: bytes) { throw CommandFailure(.wrongUsage, "\(name) \(fault.words)") }
    let payload = JSONValue(parsing: bytes) ?? .null
    guard payload.isObject else {
      throw CommandFailure(.wrongUsage, "\(name) is JSON but not an object; write {\"aps\": {…}, …}")
    }
    guard let aps = payload["aps"] else {
      throw CommandFailure(.wrongUsage, "\(name) has no `aps`; add {\"aps\": {\"alert\": …}}")
    }
    guard aps.isObject else {
      throw CommandFailure(.wrongUsage, "`aps` in \(name) is not an object; write {\"aps\": {\"alert\": …}}")
    }
    if let bundle = payload["Simulator Target Bundle"] {
      guard let text = bundle.text else {
        throw CommandFailure(
          .wrongUsage,
          "`Simulator Target Bundle` in \(name) is not text; write the app's bundle id, or leave it out")
      }
      guard text == Entitlements.bundle else {
        throw CommandFailure(
          .wrongUsage,
          "\(name) is for \(UsageError.quoted(text)), and the wallet is \(Entitlements.bundle); write this bundle id, or leave `Simulator Target Bundle` out"
        )
      }
    }
    try check(alertOf: aps, name: name)
  }

  /// Requires an alert, badge, sound or `content-available`, as iosd does.
  private static func check(alertOf aps: JSONValue, name: String) throws(CommandFailure) {
    switch aps["alert"] {
    case nil:
      if hasBadgeOrSound(aps) { return }
      // `1` and `true`, but not 1.5.
      if aps["content-available"]?.flag == true || aps["content-available"]?.double == 1 { return }
      throw CommandFailure(
        .wrongUsage,
        "`aps` in \(name) has no `alert`, no `badge` of 0 or more, no `sound` and no `content-available: 1`; add one of them"
      )
    case .string?: return
    case let parts?:
      if ["title", "body", "title-loc-key", "loc-key"].contains(where: { parts[$0]?.text?.isEmpty == false })
      {
        return
      }
    }
    throw CommandFailure(
      .wrongUsage, "the `alert` in \(name) has neither title nor body; add one of them, or leave `alert` out")
  }

  /// Values that iOS ignores without a word.
  static func remarks(on bytes: [UInt8]) -> [String] {
    let aps = JSONValue(parsing: bytes)?["aps"]
    let flags = ["mutable-content", "content-available"].compactMap { name -> String? in
      guard let value = aps?[name], value.flag == nil, value.double == nil else { return nil }
      return "the phone ignores `\(name)`, which is not the number 1"
    }
    let levels = InterruptionLevel.allCases.map(\.rawValue)
    guard let level = aps?["interruption-level"], !levels.contains(level.text ?? "") else { return flags }
    return flags + [
      "the phone ignores `interruption-level`, which is none of \(levels.joined(separator: ", "))"
    ]
  }

  private static func hasBadgeOrSound(_ aps: JSONValue) -> Bool {
    let sound = aps["sound"]?["name"] ?? aps["sound"]
    return PushBadge.number(aps["badge"]?.double) != nil || sound?.text?.isEmpty == false
  }
}

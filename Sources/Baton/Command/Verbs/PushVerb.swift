import Ground
import DaemonRuntime
import PhonePolicy

/// Delivers a push from a file.
enum PushVerb: Verb {
  static let declaration = CommandLineDeclaration(
    name: "push", summary: "deliver a push to the phone, in the format that `xcrun simctl push` takes",
    options: [
      OptionDeclaration("--silent", help: "a silent push, without a file"),
      OptionDeclaration("--type", value: .text("TEXT"), help: "with --silent: the payload's `reason`"),
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
    return invocation.done("push \(id) \(way)\(fate)\(waking)", json: document)
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
      try require(path.isEmpty, .wrongUsage, "FILE and --silent exclude each other; give one of them")
      let bytes = Array(SilentPush(reason: line.text("--type")).json.utf8)
      try check(bytes, name: "the push")
      return bytes
    }
    try require(
      !line.isGiven("--type"), .wrongUsage, "--type requires --silent; in a file use the member `reason`")
    try require(
      !path.isEmpty, .wrongUsage,
      "FILE is missing: a JSON object with `aps`, at most 4096 bytes; or write --silent")
    let bytes = try read(path)
    try check(bytes, name: name(of: path))
    return bytes
  }

  private static func name(of path: String) -> String { path == "-" ? "stdin" : path }

  private static func read(_ path: String) throws(CommandFailure) -> [UInt8] {
    // One byte above the limit is enough to detect a file that is too long.
    let limit = PushPayload.maximumSize + 1
    let bytes = path == "-" ? SmallFile.readStandardInput(limit: limit) : SmallFile.read(path, limit: limit)
    let name = name(of: path)
    guard let bytes else { throw CommandFailure(.inputOutputError, SystemError("read \(name)").description) }
    if bytes.isEmpty {
      throw CommandFailure(
        .wrongUsage, "\(name) is empty; write a push such as {\"aps\": {\"alert\": \"Hello\"}}")
    }
    return bytes
  }

  static func check(_ bytes: [UInt8], name: String) throws(CommandFailure) {
    do throws(PushPayloadError) { _ = try PushPayload(bytes) } catch {
      throw CommandFailure(.wrongUsage, error.words(of: name).onOneLine)
    }
  }

  /// Values that iOS ignores without a word.
  static func remarks(on bytes: [UInt8]) -> [String] {
    let aps = JSONValue(parsing: bytes)?["aps"]
    let flags = ["mutable-content", "content-available"].compactMap { name -> String? in
      guard let value = aps?[name], value.flag == nil, value.double == nil else { return nil }
      return "the phone ignores `\(name)`, which is not the number 1"
    }
    let levels = InterruptionLevel.allCases.map(\.rawValue)
    let others =
      [
        ("badge", "no number of at least 0", { PushBadge.number($0.double) != nil }),
        ("sound", "neither a name nor a dictionary", { $0.text != nil || $0.isObject }),
        (
          "interruption-level", "none of \(levels.joined(separator: ", "))",
          { levels.contains($0.text ?? "") }
        ),
      ] as [(String, String, (JSONValue) -> Bool)]
    return flags
      + others.compactMap { name, what, isHeard in
        guard let value = aps?[name], !isHeard(value) else { return nil }
        return "the phone ignores `\(name)`, which is \(what)"
      }
  }
}

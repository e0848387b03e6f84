import Ground

@testable import IOSd

/// One phone of one test: a real iosd over TestChild, whose name selects its behaviour, or over a real program given
/// by its path.
final class PhoneProcess {
  private let place = TemporaryDirectory()
  var directory: String { place.path }
  private(set) var process: Started
  private let options: [String]
  /// The command that runs iosd, such as strace; empty for none.
  private let runner: [String]

  private let name: String

  var home: String { "\(directory)/\(name)" }
  var socket: String { "\(home)/os/iosd.sock" }

  init(
    app: String = "app", ext: String = "ext", named name: String = "phone", under runner: [String] = [],
    _ options: [String] = []
  ) throws {
    self.name = name
    self.runner = runner
    let directory = place.path
    for name in [app, ext] where !name.hasPrefix("/") {
      try FileManager.default.createSymbolicLink(
        atPath: "\(directory)/\(name)", withDestinationPath: "\(Started.directory)/TestChild")
    }
    self.options =
      ["--home", "\(directory)/\(name)", "--app", app.hasPrefix("/") ? app : "\(directory)/\(app)"]
      + ["--ext", ext.hasPrefix("/") ? ext : "\(directory)/\(ext)"]
      + options + Self.liftedLimit
    process = try Self.launch(self.options, under: runner)
    try waitUntilItListens()
  }

  deinit {
    process.kill()
    // Removes what a killed iosd leaves of its memory cgroup; the last test's would stay otherwise.
    if let parent = MemoryGroup.place() { MemoryGroup.removeAbandoned(in: parent) }
    Journals.replay(of: home)
  }

  func journal(of program: String = "iosd") -> String { Journals.text(of: home, program) }

  /// Programs under a sanitizer exceed any phone's limit: their limit is lifted, and tests of the limit are disabled.
  static let isSanitized = getenv("BATON_SANITIZED") != nil
  /// Programs under a sanitizer are several times larger.
  static let liftedLimit = isSanitized ? ["--memory-limit", "1099511627776"] : []

  static func launch(_ arguments: [String], under runner: [String] = []) throws -> Started {
    let words = runner + ["\(Started.directory)/iosd"] + arguments
    return try Started(words[0], Array(words.dropFirst()))
  }

  /// iosd ends when its processes have ended.
  func down() throws {
    try ask("down")
    process.waitForEnd()
  }

  func restart(_ more: [String] = []) throws {
    process = try Self.launch(options + more, under: runner)
    try waitUntilItListens()
  }

  private func waitUntilItListens() throws {
    try Wait.until("iosd listens") {
      (try? ControlClient(path: socket, daemon: "iosd")) != nil || !process.isRunning
    }
  }

  @discardableResult func ask(
    _ verb: String, _ fields: KeyValuePairs<String, String> = [:], body: String = ""
  ) throws -> ControlMessage {
    let client = try ControlClient(path: socket, daemon: "iosd")
    return try client.request(ControlMessage(verb, fields, body: Array(body.utf8)), timeout: Wait.timeout)
  }

  /// The sentence of a refusal; nil if the request succeeded.
  func refusal(_ verb: String, _ fields: KeyValuePairs<String, String> = [:], body: String = "") throws
    -> String?
  {
    do {
      try ask(verb, fields, body: body)
      return nil
    } catch ControlClientError.refused(let sentence) { return sentence }
  }

  @discardableResult func push(_ body: String = "hello") throws -> String {
    let payload = #"{"aps":{"alert":{"title":"Push","body":"\#(body)"},"mutable-content":1}}"#
    return try #require(try ask("push", body: payload)["id"])
  }

  func rows(_ verb: String, all: Bool = true) throws -> [[String: Any]] {
    let fields: KeyValuePairs = ["all": all ? "yes" : "no"]
    let value = try JSONSerialization.jsonObject(with: Data(try ask(verb, fields).body))
    return try #require(value as? [[String: Any]])
  }

  func status() throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(try ask("status").body))
    return try #require(value as? [String: Any])
  }

  func state(_ role: String) throws -> String {
    (try status()[role] as? [String: Any])?["state"] as? String ?? ""
  }

  /// The last status text of a process.
  func said(_ role: String) throws -> String? {
    let process = try status()[role] as? [String: Any]
    return (process?["status"] as? [String: Any])?["text"] as? String
  }

  /// Bodies of the notifications, once there are `count`.
  func notifications(_ count: Int) throws -> [String] {
    try Wait.until("there are \(count) notifications") { try rows("notifications").count >= count }
    return try rows("notifications").compactMap { $0["body"] as? String }
  }

  /// The last process of a role, once it has ended.
  func ended(_ role: String) throws -> [String: Any] {
    var row: [String: Any] = [:]
    try Wait.until("the \(role) has ended") {
      row = try rows("ps").last { $0["role"] as? String == role } ?? [:]
      return row["reason"] != nil
    }
    return row
  }

  /// State letter of a process; nil when there is none.
  static func state(ofProcess pid: Int32) -> Character? {
    let line = SmallFile.read("/proc/\(pid)/stat", limit: 4096).map { String(decoding: $0, as: UTF8.self) }
    return line.flatMap { $0[$0.lastIndex(of: ")")!...].dropFirst(2).first }
  }
}

extension PhoneProcess {
  /// The pushes of which a journal of the extension says that their payment is stored.
  func storedPushes() -> Set<String> {
    let stored = journal(of: "notifyonlyd").matches(of: /"event":\{"incomingStored":\{"push":([0-9]+)/)
    return Set(stored.map { String($0.output.1) })
  }

  /// The last row of each id in a file of iosd, whose answers are limited in length.
  func written(_ file: String) throws -> [[String: Any]] {
    let text = try String(contentsOfFile: "\(home)/os/\(file).jsonl", encoding: .utf8)
    var rows: [Int: [String: Any]] = [:]
    for line in text.split(separator: "\n") {
      guard let row = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
        let id = row["id"] as? Int
      else { continue }
      rows[id] = row
    }
    return rows.keys.sorted().compactMap { rows[$0] }
  }
}

import Foundation

/// One journal file, line by line.
final class TestJournal {
  private(set) var lines: [String] = []
  let name: String
  private var number = 0
  static let wallOffset: Int64 = 1_700_000_000_000_000_000
  static let boot: (high: Int64, low: Int64) = (0x1122_3344_5566_7788, -2)
  static let bootHex = "1122334455667788fffffffffffffffe"

  init(_ process: String, pid: Int64, startTime: Int64, at now: Int64, arguments: [String] = []) {
    name = "20261120T1200\(10 + abs(now / 1_000_000_000 % 50))-\(process)-\(pid).jsonl"
    add(
      "start", now,
      "\"process\":\"\(process)\",\"pid\":\(pid),\"start_time\":\(startTime),\"boot\":\"\(Self.bootHex)\","
        + "\"version\":\"1\",\"arguments\":[\(arguments.map { "\"\($0)\"" }.joined(separator: ","))]")
  }

  func core(_ name: String, _ configuration: String, at now: Int64) {
    add("core", now, "\"core\":\"\(name)\",\"configuration\":\(configuration)")
  }

  func event(_ core: String, _ event: String, _ directives: [String] = [], at now: Int64) {
    add(
      "event", now,
      "\"core\":\"\(core)\",\"event\":\(event),\"directives\":[\(directives.joined(separator: ","))]")
  }

  func end(at now: Int64) { add("end", now, "\"reason\":\"asked to\"") }

  func tear() { lines.append("{\"seq\":99,\"t\":12") }

  private func add(_ kind: String, _ now: Int64, _ rest: String) {
    number += 1
    lines.append(
      "{\"seq\":\(number),\"t\":\(now),\"wall\":\(now + Self.wallOffset),\"kind\":\"\(kind)\",\(rest)}\n")
  }

  func write(to directory: String) throws {
    try lines.joined().write(toFile: "\(directory)/\(name)", atomically: false, encoding: .utf8)
  }
}

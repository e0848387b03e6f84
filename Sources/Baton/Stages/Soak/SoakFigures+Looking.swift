import PhoneClient
import DaemonRuntime
import Ground

extension SoakFigures {
  private static let looks = 5

  /// Each look is on the same connection: with one of its own the daemon, if it is slow, has not closed that yet and
  /// counts it, and if it is quick it has. Those of earlier questions are closed before the second answer, as their ends came in
  /// front of the second question.
  static func of(_ daemon: Daemon, _ phone: Phone) throws -> SoakFigures {
    let client = try phone.connect(to: daemon)
    var least = try look(at: daemon, client)
    for _ in 1..<looks {
      let next = try look(at: daemon, client)
      if next.descriptors <= least.descriptors { least = next }
    }
    return least
  }

  private static func look(at daemon: Daemon, _ client: ControlClient) throws -> SoakFigures {
    guard let status = JSONValue(parsing: try client.request(ControlMessage("status")).body),
      let pid = client.listener, let figures = SoakFigures(pid: pid, status: status)
    else { throw Wait.Failure(description: "\(daemon.rawValue) is gone; its last words are in its log") }
    return figures
  }

  /// Of a wallet process that lives.
  static func of(_ role: Role, _ driver: PhoneDriver) throws -> SoakFigures {
    let facts = try driver.status()[role.rawValue]
    guard let pid = facts?["pid"]?.int.flatMap({ Int32(exactly: $0) }), var figures = SoakFigures(pid: pid)
    else { throw Wait.Failure(description: "the \(role.rawValue) does not run any more") }
    figures.databaseBytes = facts?["status"]?["database-bytes"]?.text.flatMap { UInt64($0) }
    figures.heapBytes = facts?["status"]?["heap-bytes"]?.text.flatMap { UInt64($0) }
    return figures
  }
}

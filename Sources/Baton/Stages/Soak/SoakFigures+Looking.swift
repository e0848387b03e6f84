import PhoneClient
import DaemonRuntime
import Ground
import Reports

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
    let answer = try client.request(ControlMessage("status")).body
    guard let pid = client.listener, var figures = SoakFigures(pid: pid) else {
      throw Wait.Failure(description: "\(daemon.rawValue) is gone; its last words are in its log")
    }
    switch daemon {
    case .iosd:
      guard let facts = PhoneFacts(json: answer) else { break }
      (figures.heapBytes, figures.timers) = (facts.heapBytes, facts.timers)
    case .lspd:
      guard let facts = PeerFacts(json: answer) else { break }
      figures.heapBytes = facts.heapBytes
      (figures.databaseBytes, figures.timers) = (facts.databaseBytes, facts.timers)
    }
    return figures
  }

  /// Of a wallet process that lives.
  static func of(_ role: Role, _ driver: PhoneDriver) throws -> SoakFigures {
    let facts = try driver.status().process(role)
    guard let pid = facts.pid, var figures = SoakFigures(pid: pid) else {
      throw Wait.Failure(description: "the \(role.rawValue) does not run any more")
    }
    figures.databaseBytes = facts.status?["database-bytes"].flatMap { UInt64($0) }
    figures.heapBytes = facts.status?["heap-bytes"].flatMap { UInt64($0) }
    return figures
  }
}

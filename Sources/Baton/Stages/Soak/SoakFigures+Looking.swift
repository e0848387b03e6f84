import DaemonRuntime
import Ground
import PhonePolicy

extension SoakFigures {
  private static let looks = 5

  /// Takes several measurements on one connection, and the smallest: a slow daemon may not yet have closed earlier
  /// connections at the first, but has at the second.
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
      throw Wait.Failure(description: "\(daemon.rawValue) has ended; see its log")
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

  /// The figures of a running wallet process.
  static func of(_ role: Role, _ driver: PhoneDriver) throws -> SoakFigures {
    let facts = try driver.status().process(role)
    guard let pid = facts.pid, var figures = SoakFigures(pid: pid) else {
      throw Wait.Failure(description: "the \(role.rawValue) no longer runs")
    }
    figures.databaseBytes = facts.status?["database-bytes"].flatMap { UInt64($0) }
    figures.heapBytes = facts.status?["heap-bytes"].flatMap { UInt64($0) }
    return figures
  }
}

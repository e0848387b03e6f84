import DaemonRuntime
import Glibc
import Ground
import PhonePolicy

/// The resources of one process, from the kernel and from the process itself.
struct SoakFigures: Report, Hashable {
  var descriptors: Int
  var threads: Int
  /// Children that have ended and were never waited for.
  var zombies: Int
  var anonymousBytes: UInt64
  /// Allocated and not freed, as the process reports; nil if not asked.
  var heapBytes: UInt64?
  /// SQLite's memory, not part of `heapBytes`.
  var databaseBytes: UInt64?
  var timers: Int?
}

extension SoakFigures {
  /// Nil if there is no such process.
  init?(pid: Int32) {
    guard let memory = MemoryFigures(of: pid),
      let descriptors = DirectoryListing.names(of: "/proc/\(pid)/fd")?.count,
      let threads = DirectoryListing.names(of: "/proc/\(pid)/task")?.count
    else { return nil }
    self.init(
      descriptors: descriptors, threads: threads, zombies: Self.zombies(of: pid),
      anonymousBytes: memory.footprintBytes)
  }

  private static func zombies(of parent: Int32) -> Int {
    (DirectoryListing.names(of: "/proc") ?? []).filter { name in
      guard Int32(name) != nil, let line = SmallFile.read("/proc/\(name)/stat", limit: 4096),
        let end = line.lastIndex(of: UInt8(ascii: ")"))
      else { return false }
      let fields = line[(end + 1)...].split(separator: UInt8(ascii: " "))
      guard fields.count > 1 else { return false }
      return String(decoding: fields[0], as: UTF8.self) == "Z"
        && Int32(String(decoding: fields[1], as: UTF8.self)) == parent
    }.count
  }
}

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

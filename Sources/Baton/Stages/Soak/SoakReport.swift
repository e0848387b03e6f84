import DaemonRuntime
import Glibc
import Ground
import PhonePolicy
import Platform

/// The resources of one process, from the kernel and from the process itself.
struct SoakFigures: Report, Hashable {
  var descriptors: Int
  var threads: Int
  /// Children that have ended and were never waited for.
  var zombies: Int
  var anonymousBytes: Int
  /// Allocated and not freed, as the process reports; nil if not asked.
  var heapBytes: Int?
  /// SQLite's memory, not part of `heapBytes`.
  var databaseBytes: Int?
  var timers: Int?
}

extension SoakFigures {
  private static let looks = 5

  /// Nil if there is no such process.
  private init?(pid: Int32) {
    guard let memory = MemoryFigures(of: pid),
      let descriptors = DirectoryListing.names(of: "/proc/\(pid)/fd")?.count,
      let threads = DirectoryListing.names(of: "/proc/\(pid)/task")?.count
    else { return nil }
    self.init(
      descriptors: descriptors, threads: threads,
      zombies: ProcessTable.children(of: pid).count { Kernel.processStatus(of: $0)?.isDead ?? false },
      anonymousBytes: Int(clamping: memory.footprintBytes))
  }

  static func of(_ process: PhoneProcess, _ driver: PhoneDriver) throws -> SoakFigures {
    switch process {
    case .app: try of(try driver.status().app, "the app")
    case .extension: try of(try driver.status().extension, "the extension")
    case .iosd: try of(.iosd, driver.phone)
    case .lspd: try of(.lspd, driver.phone)
    }
  }

  private static func of(_ facts: WalletFacts, _ name: String) throws -> SoakFigures {
    guard let pid = facts.pid, var figures = SoakFigures(pid: pid) else {
      throw Wait.Failure(description: "\(name) no longer runs")
    }
    figures.databaseBytes = facts.status?["database-bytes"].flatMap { Int($0) }
    figures.heapBytes = facts.status?["heap-bytes"].flatMap { Int($0) }
    return figures
  }

  /// Takes several measurements on one connection, and the smallest: a slow daemon may not yet have closed earlier
  /// connections at the first, but has at the second.
  private static func of(_ daemon: Daemon, _ phone: Phone) throws -> SoakFigures {
    let client = try phone.connect(to: daemon)
    var least: SoakFigures?
    for _ in 1...looks {
      let answer = JSONValue(parsing: try client.request(ControlMessage("status")).body)
      guard let pid = client.listener, var figures = SoakFigures(pid: pid) else { break }
      func figure(_ name: String) -> Int? { (answer?[name]?.int).map { Int(clamping: $0) } }
      figures.heapBytes = figure("heap_bytes")
      figures.databaseBytes = figure("database_bytes")
      figures.timers = figure("timers")
      if figures.descriptors <= least?.descriptors ?? .max { least = figures }
    }
    guard let least else { throw Wait.Failure(description: "\(daemon.rawValue) has ended; see its log") }
    return least
  }
}

/// The outcome of `baton soak`: the processes' resources before and after, and what is wrong.
struct SoakReport: Report {
  var processes: [SoakedProcess]
  /// With --phones.
  var pushes: SoakedPushes?
  /// Sentences, those of the judge too; empty if all is well.
  var complaints: [String]
  /// Payments of the rounds.
  var settled: Int?
  var slowestPaymentMs: Int64?
  var tookMs: Int64 = 0
  var judgePassed = false
  var sound = false
}

/// One process that lived through all the rounds between two measurements.
struct SoakedProcess: Report {
  var process: String
  var rounds: Int
  /// Of its heap, or of its memory if it does not report the heap.
  var allowedBytesPerRound: Int
  var before: SoakFigures
  var after: SoakFigures
}

extension SoakedProcess {
  /// Heap bytes that a process may keep per round. iosd: nothing, once the rows that it keeps for answers have reached
  /// their maximum. lspd: the 32-byte hash of each paid payment, in an array that doubles; it needs them all, as an
  /// invoice is paid once. A wallet process: nothing of a payment that is in the database.
  private static func allowedBytes(_ process: PhoneProcess) -> Double { process == .lspd ? 80 : 16 }

  /// iosd keeps the newest 256 processes, notifications, pushes and tasks, some 2,110 bytes for one of each, as measured;
  /// after this many rounds its rows no longer grow.
  static let roundsUntilFull = 260
  static let rowBytes = 2170.0

  /// Measures before and after what is played. `filling`: the bytes that a process allocates once.
  static func measured(
    _ processes: [PhoneProcess], _ driver: PhoneDriver, rounds: Int, filling: [PhoneProcess: Double] = [:],
    _ play: () throws -> Void
  ) throws -> [SoakedProcess] {
    let before = try processes.map { try SoakFigures.of($0, driver) }
    try play()
    return try zip(processes, before).map { process, before in
      let allowed = allowedBytes(process) + (filling[process] ?? 0) / Double(rounds)
      return SoakedProcess(
        process: process.rawValue, rounds: rounds, allowedBytesPerRound: Int(allowed.rounded(.up)),
        before: before, after: try .of(process, driver))
    }
  }

  // MARK: Leaks

  /// Fluctuation of the heap: a table that has just grown, a fuller cache.
  private static let heapSlackBytes = 16 * 1024
  /// A connection's cache is full at 256 KiB.
  private static let databaseSlackBytes = 320 * 1024
  /// The kernel counts pages, and the allocator returns them at any time.
  private static let memorySlackBytes = 512 * 1024

  private struct Measure: Sendable {
    var name: String
    var isSize = false
    var value: @Sendable (SoakFigures) -> Int?
    /// What is wrong with the figures before and after.
    var leak: @Sendable (Int, Int) -> String? = { _, _ in nil }
  }

  private static let measures = [
    Measure(name: "descriptors", value: \.descriptors) {
      $0 == $1 ? nil : "had \($0) descriptors open and now has \($1)"
    },
    Measure(name: "zombies", value: \.zombies) { $1 == 0 ? nil : "has \($1) zombie children" },
    Measure(name: "threads", value: \.threads) { $0 == $1 ? nil : "had \($0) threads and now has \($1)" },
    Measure(name: "timers", value: \.timers) { $0 >= $1 ? nil : "had \($0) timers and now has \($1)" },
    Measure(name: "heap in use, bytes", isSize: true, value: \.heapBytes),
    Measure(name: "SQLite's caches, bytes", isSize: true, value: \.databaseBytes) {
      $1 <= $0 + databaseSlackBytes ? nil : "had \($0) bytes in SQLite and now has \($1)"
    },
    Measure(name: "anonymous memory, bytes", isSize: true, value: \.anonymousBytes),
  ]

  private var measured: [(measure: Measure, before: Int, after: Int)] {
    Self.measures.compactMap { measure in
      guard let had = measure.value(before), let has = measure.value(after) else { return nil }
      return (measure, had, has)
    }
  }

  /// The leaks as sentences; empty if all is well.
  var problems: [String] {
    (measured.map { $0.measure.leak($0.before, $0.after) } + [growth]).compactMap { $0 }
      .map { "\(process) \($0)" }
  }

  /// Nil under a sanitizer: its heap reports 0, and its memory is not comparable.
  private var growth: String? {
    let (bytes, slack, what): (Int, Int, String)
    if let had = before.heapBytes, let has = after.heapBytes {
      if had == 0 { return nil }
      (bytes, slack, what) = (has - had, Self.heapSlackBytes, "heap")
    } else {
      (bytes, slack, what) = (after.anonymousBytes - before.anonymousBytes, Self.memorySlackBytes, "memory")
    }
    let allowed = allowedBytesPerRound * rounds + slack
    guard bytes > allowed else { return nil }
    return "grew by \(perRound(bytes)) bytes of \(what) per round; \(perRound(allowed)) are allowed"
  }

  private func perRound(_ bytes: Int) -> Int { Int((Double(bytes) / Double(max(1, rounds))).rounded()) }

  var table: [[String]] {
    measured.map { measure, had, has in
      [
        process, measure.name, "\(had)", "\(has)", "\(has - had)",
        measure.isSize ? "\(perRound(has - had))" : "",
      ]
    }
  }
}

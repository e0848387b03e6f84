import DaemonRuntime
import Glibc
import Ground
import PhonePolicy

/// The order of a soak: short lives, measurement, long lives, measurement.
struct SoakRun {
  /// Heap bytes that a daemon may keep per round. iosd: nothing, once the rows that it keeps for answers have reached
  /// their maximum. lspd: the 32-byte hash of each paid payment, in an array that doubles; it needs them all, as an
  /// invoice is paid once.
  static let allowedBytes: [Daemon: Double] = [.iosd: 16, .lspd: 80]
  /// iosd keeps the newest 256 processes, notifications, pushes and tasks, some 2,110 bytes for one of each, as measured;
  /// after this many rounds its rows no longer grow.
  static let roundsUntilFull = 260
  static let rowBytes = 2170.0
  /// The first rounds of each kind allocate about 50 KB in iosd and 80 KB in lspd for good: statements, tables, the
  /// runtime's lazy state. They precede the first measurement with any warm-up.
  static let firstRounds = 3
  /// A wallet process keeps nothing of a payment that is in the database.
  static let allowedWalletBytes: Double = 16

  let play: SoakPlay
  let output: Output
  let rounds: Int
  let warmUp: Int

  func run() throws -> SoakReport {
    try play.begin()
    let half = rounds / 2
    try rounds(Self.firstRounds, .longLives, "app kept alive, not counted")
    // The end of a long life also allocates lazily for the first time.
    try play.driver.comeToRest()
    try rounds(Self.firstRounds + warmUp, .shortLives, "app swiped away in each round, not counted")
    try play.driver.comeToRest()
    let before = try Daemon.allCases.map { try SoakFigures.of($0, play.driver.phone) }
    let filesBefore = sizes()
    try rounds(half, .shortLives, "app swiped away in each round")
    try play.driver.comeToRest()
    // The first round starts the two long-lived processes, the others fill their caches.
    let uncounted = max(1, min(warmUp, half / 4))
    try rounds(uncounted, .longLives, "app kept alive, not counted")
    let walletBefore = try Self.roles.map { try SoakFigures.of($0.role, play.driver) }
    let counted = max(1, rounds - half - uncounted)
    try rounds(counted, .longLives, "app kept alive")
    let walletAfter = try Self.roles.map { try SoakFigures.of($0.role, play.driver) }
    try play.driver.comeToRest()
    let all = half + uncounted + counted
    var report = SoakReport()
    for (index, daemon) in Daemon.allCases.enumerated() {
      let filling =
        daemon == .iosd ? Double(max(0, min(all, Self.roundsUntilFull - warmUp - 2 * Self.firstRounds))) : 0
      report.subjects.append(
        .init(
          name: daemon.rawValue, rounds: all, before: before[index],
          after: try SoakFigures.of(daemon, play.driver.phone),
          allowedBytes: (Self.allowedBytes[daemon] ?? 0) + filling * Self.rowBytes / Double(all)))
    }
    for (index, role) in Self.roles.enumerated() {
      report.subjects.append(
        .init(
          name: role.process, rounds: counted, before: walletBefore[index], after: walletAfter[index],
          allowedBytes: Self.allowedWalletBytes))
    }
    for (old, new) in zip(filesBefore, sizes()) {
      report.filesPerRound.append((old.name, (new.bytes - old.bytes) / Int64(all)))
    }
    return report
  }

  private static let roles = [
    (role: Role.app, process: "mainappd"), (role: Role.extension, process: "notifyextd"),
  ]

  private func rounds(_ count: Int, _ style: SoakPlay.Style, _ name: String) throws {
    for number in stride(from: 1, through: count, by: 1) {
      try play.round(style)
      if !output.isJSON && (number == count || number.isMultiple(of: 100)) {
        output.say("\(name): \(number) of \(HumanText.count(count, "round"))")
      }
    }
  }

  private func sizes() -> [(name: String, bytes: Int64)] {
    let phone = play.driver.phone
    return [
      ("journals", size(of: phone.journal) { _ in true }),
      ("lspd's ledger", size(of: phone.lsp) { $0.hasPrefix("ledger.sqlite") }),
      ("the wallet's database", size(of: phone.container) { $0.hasPrefix("node.sqlite") }),
      ("iosd's rows", size(of: phone.os) { $0.hasSuffix(".jsonl") }),
    ]
  }

  private func size(of directory: String, _ counts: (String) -> Bool) -> Int64 {
    (DirectoryListing.names(of: directory) ?? []).filter(counts).reduce(0) { sum, name in
      sum + Int64(FilePath.size(of: "\(directory)/\(name)"))
    }
  }
}

/// Plays rounds on one phone. A round is a payment with a push while the app is closed or in the background; then the
/// app comes to the front, takes over the node and makes the next invoice.
final class SoakPlay {
  /// How long the wallet processes live.
  enum Style {
    /// The app is swiped away after each round; every other push starts a new extension.
    case shortLives
    /// The app is only sent to the background, and one extension serves every push.
    case longLives
  }

  let driver: PhoneDriver
  private(set) var settled = 0
  private(set) var slowest = TimeSpan.zero
  private(set) var totalPaying = TimeSpan.zero
  private var invoice: PayableInvoice?
  private var number = 0

  init(_ driver: PhoneDriver) { self.driver = driver }

  /// Makes the first invoice; afterwards only the daemons run.
  func begin() throws {
    try driver.openAndConnect()
    invoice = try driver.makeInvoice(amountMsat: 1000)
    try driver.comeToRest()
  }

  func round(_ style: Style) throws {
    number += 1
    do {
      try play(style)
    } catch let failure as Wait.Failure {
      throw Wait.Failure(description: "\(failure), in round \(number)")
    }
  }

  private func play(_ style: Style) throws {
    if style == .shortLives && number.isMultiple(of: 2) { try driver.endExtension() }
    try pay()
    try driver.openAndConnect()
    invoice = try driver.makeInvoice(amountMsat: 1000)
    switch style {
    case .shortLives: try driver.quitAndEnd()
    case .longLives: try driver.goHomeAndRelease()
    }
  }

  private func pay() throws {
    guard let invoice else { throw Wait.Failure(description: "there is no invoice to pay") }
    try driver.waitUntilAway()
    let start = Clock.monotonicNow
    let answer = try driver.pay(invoice, waits: true)
    guard answer.isSettled else {
      throw Wait.Failure(
        description: "payment \(number) ended as \(answer.state) (\(answer.reason ?? "no reason"))")
    }
    let took = Clock.monotonicNow - start
    settled += 1
    slowest = max(slowest, took)
    totalPaying = TimeSpan(nanoseconds: totalPaying.nanoseconds + took.nanoseconds)
  }
}

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

/// The processes' resources before and after the rounds, and the leaks.
struct SoakReport {
  /// One process that lived through all the rounds between two samples.
  struct Subject {
    var name: String
    var rounds: Int
    var before: SoakFigures
    var after: SoakFigures
    /// Bytes that it may keep per round: of its heap, or of its memory if it does not report the heap.
    var allowedBytes: Double
  }

  /// Fluctuation of the heap: a table that has just grown, a fuller cache.
  static let heapSlackBytes: Double = 16 * 1024
  /// A connection's cache is full at 256 KiB.
  static let databaseSlackBytes: UInt64 = 320 * 1024
  /// The kernel counts pages, and the allocator returns them at any time.
  static let memorySlackBytes: Double = 512 * 1024

  var subjects: [Subject] = []
  /// Growth of the files in bytes per counted round.
  var filesPerRound: [(name: String, bytes: Int64)] = []

  /// The leaks as sentences; empty if all is well.
  var problems: [String] { subjects.flatMap(problems) }

  private func problems(_ subject: Subject) -> [String] {
    let before = subject.before
    let after = subject.after
    var sentences: [String] = []
    if after.descriptors != before.descriptors {
      sentences.append(
        "\(subject.name) had \(before.descriptors) descriptors open and now has \(after.descriptors)")
    }
    if after.zombies > 0 { sentences.append("\(subject.name) has \(after.zombies) zombie children") }
    if after.threads != before.threads {
      sentences.append("\(subject.name) had \(before.threads) threads and now has \(after.threads)")
    }
    if let had = before.timers, let has = after.timers, has > had {
      sentences.append("\(subject.name) had \(had) timers and now has \(has)")
    }
    if let had = before.databaseBytes, let has = after.databaseBytes, has > had + Self.databaseSlackBytes {
      sentences.append("\(subject.name) had \(had) bytes in SQLite and now has \(has)")
    }
    guard let growth = Self.growth(subject) else { return sentences }
    let allowed = subject.allowedBytes * Double(subject.rounds) + growth.slack
    if growth.bytes > allowed {
      sentences.append(
        "\(subject.name) grew by \(Self.perRound(growth.bytes, subject)) bytes of \(growth.what) per round; \(Self.perRound(allowed, subject)) are allowed"
      )
    }
    return sentences
  }

  /// Nil under a sanitizer: its heap reports 0, and its memory is not comparable.
  private static func growth(_ subject: Subject) -> (bytes: Double, slack: Double, what: String)? {
    if let before = subject.before.heapBytes, let after = subject.after.heapBytes {
      if before == 0 { return nil }
      return (Double(after) - Double(before), heapSlackBytes, "heap")
    }
    return (
      Double(subject.after.anonymousBytes) - Double(subject.before.anonymousBytes), memorySlackBytes, "memory"
    )
  }

  private static func perRound(_ bytes: Double, _ subject: Subject) -> Int {
    Int((bytes / Double(max(1, subject.rounds))).rounded())
  }

  // MARK: Output

  var table: [[String]] {
    [["PROCESS", "WHAT", "BEFORE", "AFTER", "GROWTH", "A ROUND"]] + subjects.flatMap(rows)
  }

  private func rows(_ subject: Subject) -> [[String]] {
    let before = subject.before
    let after = subject.after
    var rows = [
      row(subject, "descriptors", before.descriptors, after.descriptors),
      row(subject, "zombies", before.zombies, after.zombies),
      row(subject, "threads", before.threads, after.threads),
    ]
    if let had = before.timers, let has = after.timers { rows.append(row(subject, "timers", had, has)) }
    if let had = before.heapBytes, let has = after.heapBytes {
      rows.append(row(subject, "heap in use, bytes", Int(clamping: had), Int(clamping: has), isSize: true))
    }
    if let had = before.databaseBytes, let has = after.databaseBytes {
      rows.append(
        row(subject, "SQLite's caches, bytes", Int(clamping: had), Int(clamping: has), isSize: true))
    }
    rows.append(
      row(
        subject, "anonymous memory, bytes", Int(clamping: before.anonymousBytes),
        Int(clamping: after.anonymousBytes), isSize: true))
    return rows
  }

  private func row(
    _ subject: Subject, _ what: String, _ before: Int, _ after: Int, isSize: Bool = false
  ) -> [String] {
    [
      subject.name, what, "\(before)", "\(after)", "\(after - before)",
      isSize ? "\(Self.perRound(Double(after - before), subject))" : "",
    ]
  }

  struct Document: Report {
    var processes: [SubjectDocument]
    var fileBytesPerRound: [FileGrowth]
    var complaints: [String]
    var settled: Int
    var tookMs: Int64
    var slowestPaymentMs: Int64
    var judgePassed: Bool
    var sound: Bool
  }

  struct SubjectDocument: Report {
    var process: String
    var rounds: Int
    var allowedBytesPerRound: Int
    var before: SoakFigures
    var after: SoakFigures

    init(_ subject: Subject) {
      process = subject.name
      rounds = subject.rounds
      allowedBytesPerRound = Int(subject.allowedBytes)
      before = subject.before
      after = subject.after
    }
  }

  struct FileGrowth: Report {
    var name: String
    var bytes: Int64
  }
}

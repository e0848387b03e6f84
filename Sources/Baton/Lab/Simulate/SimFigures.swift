import DaemonRuntime
import Ground
import PhonePolicy
import Simulation

/// The sum of many runs.
package struct SimFigures: Sendable {
  private(set) var seeds: UInt64 = 0
  package private(set) var simulated = TimeSpan.zero
  package private(set) var events: UInt64 = 0
  package private(set) var moves: UInt64 = 0
  package private(set) var payments = 0
  package private(set) var paid = 0
  package private(set) var pushes = 0
  package private(set) var connecting = Waits()
  package private(set) var settling = Waits()
  package private(set) var suspensions = Suspensions()
  private(set) var faults = [Int](repeating: 0, count: FaultKind.allCases.count)
  /// In the order of `StorageFault.allCases`; the full disk last.
  private(set) var storageFaults = [Int](repeating: 0, count: StorageFault.allCases.count + 1)
  package private(set) var broken: [RunResult] = []

  init() {}

  init(_ result: RunResult) {
    seeds = 1
    simulated = result.simulated
    events = result.deliveredEvents
    moves = result.moves
    payments = result.payments
    paid = result.paid
    pushes = result.pushes
    connecting = result.connecting
    settling = result.settling
    suspensions = result.suspensions
    faults = result.faults
    if !result.storageFaults.isEmpty { storageFaults = result.storageFaults }
    if result.violation != nil { broken = [result] }
  }

  /// Adds later seeds: the broken ones stay in order.
  package mutating func add(_ other: SimFigures) {
    seeds += other.seeds
    simulated = simulated + other.simulated
    events += other.events
    moves += other.moves
    payments += other.payments
    paid += other.paid
    pushes += other.pushes
    connecting.add(other.connecting)
    settling.add(other.settling)
    suspensions.add(other.suspensions)
    for place in faults.indices { faults[place] += other.faults[place] }
    for place in storageFaults.indices { storageFaults[place] += other.storageFaults[place] }
    broken += other.broken
  }

  private static let storageNames = StorageFault.allCases.map(\.sentence) + ["the disk is full"]

  private var storageText: String {
    let met = zip(Self.storageNames, storageFaults).filter { $0.1 > 0 }
    guard !met.isEmpty else { return "no failures" }
    return met.map { "\($0) \(HumanText.grouped(UInt64($1)))" }.joined(separator: ", ")
  }

  var faultCount: Int { faults.reduce(0, +) }
  private var hours: Double { Double(simulated.nanoseconds) / 3.6e12 }
  func perHour(_ count: Int) -> Double { hours == 0 ? 0 : Double(count) / hours }

  /// Of the most frequent faults.
  private static let kindsShown = 6

  package func text(took: TimeSpan) -> [(String, String)] {
    let seconds = max(1e-9, Double(took.nanoseconds) / 1e9)
    let met = zip(FaultKind.allCases, faults).filter { $0.1 > 0 }.sorted { $0.1 > $1.1 }
    let most = met.prefix(Self.kindsShown).map { "\($0.rawValue) \(Int(perHour($1).rounded()))" }
    let kinds = most + (met.count > most.count ? ["and \(met.count - most.count) other kinds (--json)"] : [])
    return [
      ("seeds", HumanText.grouped(seeds)),
      (
        "simulated",
        "\(HumanText.hours(milliseconds: UInt64(max(0, simulated.wholeMilliseconds)))), \(grouped(hours * 3600 / seconds)) times faster than real time"
      ),
      ("events", "\(HumanText.grouped(events)) delivered, \(grouped(Double(events) / seconds)) a second"),
      (
        "payments",
        "\(HumanText.grouped(UInt64(payments))), \(HumanText.grouped(UInt64(paid))) of them settled; \(grouped(perHour(payments))) per simulated hour"
      ),
      (
        "faults",
        "\(HumanText.grouped(UInt64(faultCount))), \(grouped(perHour(faultCount))) per simulated hour"
      ),
      ("", kinds.isEmpty ? "" : "per simulated hour: \(kinds.joined(separator: ", "))"),
      ("storage", storageText),
      (
        "suspended",
        "the app \(HumanText.grouped(UInt64(suspensions.app))) times, the extension \(HumanText.grouped(UInt64(suspensions.ofExtension))); \(suspensions.withLock) times with a lock in the container"
      ),
      ("waited", "\(words(connecting)) from opening the app to connected"),
      ("", "\(words(settling)) from a sender's request to the preimage"),
    ]
  }

  struct Count: Report {
    var name: String
    var count: Int
  }

  struct Document: Report {
    var seeds: UInt64
    var seedsAsked: UInt64
    var stoppedAfterBroken: Bool
    var simulatedMs: Int64
    var tookMs: Int64
    var events: UInt64
    var eventsPerSecond: UInt64
    var payments: Int
    var paid: Int
    var pushes: Int
    var appSuspensions: Int
    var extensionSuspensions: Int
    var suspensionsWithLock: Int
    var connectingMeanMs: Int64
    var settlingMeanMs: Int64
    var faults: [Count]
    var storageFaults: [Count]
    var violations: Int
    var brokenSeeds: [UInt64]
    /// The page of the first broken seed's shortest run.
    var timeline: String?
  }

  func document(took: TimeSpan, cut: SimCut? = nil) -> Document {
    let seconds = max(1e-9, Double(took.nanoseconds) / 1e9)
    return Document(
      seeds: seeds, seedsAsked: cut?.asked ?? seeds, stoppedAfterBroken: cut != nil,
      simulatedMs: simulated.wholeMilliseconds, tookMs: took.wholeMilliseconds, events: events,
      eventsPerSecond: UInt64(Double(events) / seconds), payments: payments, paid: paid, pushes: pushes,
      appSuspensions: suspensions.app, extensionSuspensions: suspensions.ofExtension,
      suspensionsWithLock: suspensions.withLock, connectingMeanMs: connecting.mean.wholeMilliseconds,
      settlingMeanMs: settling.mean.wholeMilliseconds,
      faults: zip(FaultKind.allCases, faults).map { Count(name: $0.rawValue, count: $1) },
      storageFaults: storageCounts,
      violations: broken.count, brokenSeeds: broken.map(\.seed))
  }

  /// The faults that only other wallets can have are left out.
  private var storageCounts: [Count] {
    let isOfTelling = StorageFault.allCases.map(\.operation.isOfTelling) + [false]
    return zip(zip(Self.storageNames, storageFaults), isOfTelling).compactMap { fault, isOfTelling in
      isOfTelling && fault.1 == 0 ? nil : Count(name: fault.0, count: fault.1)
    }
  }

  private func words(_ waits: Waits) -> String {
    "\(HumanText.span(waits.mean)) on average, \(HumanText.span(waits.longest)) at most,"
  }

  private func grouped(_ number: Double) -> String { HumanText.grouped(UInt64(max(0, number.rounded()))) }
}

/// A campaign that ended early, after `brokenMax` broken seeds.
package struct SimCut: Sendable {
  /// The number of seeds run, without a gap from the first.
  package let run: UInt64
  package let asked: UInt64

  init(run: UInt64, of asked: UInt64) {
    self.run = run
    self.asked = asked
  }

  package var sentence: String {
    "stopped after \(SimCampaign.brokenMax) broken seeds: \(HumanText.grouped(run)) of \(HumanText.grouped(asked)) run"
  }

  /// The last JUnit case: not every seed was run.
  var junitCase: JUnitFile.Case {
    JUnitFile.Case(
      name: "Every seed was run.", outcome: .error("the run was stopped early", details: sentence))
  }
}

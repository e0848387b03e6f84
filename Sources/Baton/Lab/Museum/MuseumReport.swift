import DaemonRuntime
import Museum
import PhonePolicy
import Simulation

/// The incidents as a list, as text, as the part of docs/ablation.md, and as JSON.
enum MuseumReport {
  static var list: [[String]] {
    [["name", "who", "what happens"]] + Incident.all.map { [$0.name, $0.who, $0.outcome] }
  }

  static func text(_ showing: Showing, _ output: Output) -> [String] {
    let incident = showing.incident
    return [output.paint("\(incident.name): \(incident.who)", .bold)] + incident.happened.wrapped(to: 100)
      + [incident.link, ""] + ofProduct(showing, output) + [""] + ofBaton(showing, output)
  }

  private static func ofProduct(_ showing: Showing, _ output: Output) -> [String] {
    let incident = showing.incident
    let name = "\(incident.opponent.name) (--as \(incident.opponent.rawValue))"
    guard let broken = showing.broken else {
      return [output.paint("\(name): not broken here: \(incident.breaks.sentence)", .yellow)]
    }
    return [output.paint("\(name): \(incident.outcome)", .red)]
      + "\(broken.violation.sentence) The shortest story:".wrapped(to: 100) + broken.story
      + ["again: \(incident.words(incident.opponent))"]
  }

  private static func ofBaton(_ showing: Showing, _ output: Output) -> [String] {
    let again = "again: \(showing.incident.words(.baton))"
    switch showing.baton {
    case .holds: return [output.paint("Baton: \(verdict(showing))", .green), again]
    case .gaveUp: return [output.paint("Baton: \(verdict(showing))", .yellow), again]
    case .breaks(let finding):
      return [output.paint("Baton: \(verdict(showing))", .red)] + finding.story + [again]
    }
  }

  private static func verdict(_ showing: Showing) -> String {
    switch showing.baton {
    case .holds(let states): "nothing breaks, in all \(HumanText.grouped(UInt64(states))) states"
    case .gaveUp(let reached): "given up: \(reached.sentence)"
    case .breaks(let finding): "an invariant broke: \(finding.violation.sentence)"
    }
  }

  static func progress(_ incident: Incident, _ report: ExploreReport) -> String {
    "\(incident.name), \(report.explorer.settings.world.coordination.name): \(report.progress)"
  }

  // MARK: The page

  /// The lines between these are made by `baton museum --markdown`.
  static let pageBegins = "<!-- made by baton museum --markdown -->"
  static let pageEnds = "<!-- end of baton museum --markdown -->"

  static func markdown(_ showings: [Showing]) -> [String] {
    [pageBegins, "", "| incident | with the product's coordination | with Baton |", "|---|---|---|"]
      + showings.map(row) + ["", pageEnds]
  }

  private static func row(_ showing: Showing) -> String {
    let incident = showing.incident
    let broken = showing.broken == nil ? "not broken" : incident.outcome
    return "| `\(incident.name)`: [\(incident.who)](\(incident.link)) | \(broken) | \(verdict(showing)) |"
  }

  // MARK: JSON

  struct Listed: Report {
    var name: String
    var who: String
    var link: String
    var happened: String
    /// The value of `--as`.
    var coordination: String
    var invariant: Int

    init(_ incident: Incident) {
      name = incident.name
      who = incident.who
      link = incident.link
      happened = incident.happened
      coordination = incident.opponent.rawValue
      invariant = incident.breaks.rawValue
    }
  }

  struct Document: Report {
    var incident: Listed
    /// Nil if the invariant did not break under the product's coordination.
    var broken: BrokenInvariant?
    /// The states of Baton's world; nil unless all were visited and no invariant broke.
    var batonStates: Int?
    var batonBroken: BrokenInvariant?
    /// Why the search of Baton's world ended early.
    var batonGaveUp: String?
    var asExpected: Bool

    init(_ showing: Showing) {
      incident = Listed(showing.incident)
      broken = showing.broken?.document
      asExpected = showing.isAsExpected
      switch showing.baton {
      case .holds(let states): batonStates = states
      case .breaks(let finding): batonBroken = finding.document
      case .gaveUp(let reached): batonGaveUp = reached.sentence
      }
    }
  }
}

/// A published incident of two processes with one state, and the smallest world in which its coordination breaks.
struct Incident: Sendable {
  var name: String
  /// Product and time.
  var who: String
  var link: String
  var happened: String
  var opponent: Coordination
  var breaks: Invariant
  /// Above the one payment of each world.
  fileprivate(set) var counts: [Allowance: Int]
  var appIsSuspended = false
  var userStaysAway = false

  /// What happens, as the text of a table cell.
  var outcome: String { userStaysAway ? "the payment waits for the user" : breaks.word }

  /// The same world for the product's coordination and for Baton's.
  func settings(_ coordination: Coordination) -> ExploreSettings {
    var settings = ExploreSettings()
    settings.bounds = Bounds(counts)
    settings.bounds[.pushes] = 1
    settings.appIsSuspended = appIsSuspended
    settings.userStaysAway = userStaysAway
    settings.world.coordination = coordination
    // The product may break other invariants earlier.
    if coordination != .baton { settings.seeks = breaks }
    return settings
  }

  /// Explores this world again.
  func words(_ coordination: Coordination) -> String {
    let settings = settings(coordination)
    let bounds = Allowance.allCases.filter { settings.bounds[$0] != Bounds.standard[$0] }
      .map { " --\($0.word) \(settings.bounds[$0])" }
    return "baton explore\(coordination == .baton ? "" : " --as \(coordination.rawValue) --all")"
      + bounds.joined() + (appIsSuspended ? " --app-suspended" : "") + (userStaysAway ? " --user-away" : "")
  }
}

extension Incident {
  static let all: [Incident] = [
    Incident(
      name: "stable-channels-force-close", who: "Stable Channels, July 2026",
      link: "https://github.com/toneloc/stable-channels/commit/6a653594a9b891121f8e4f586e39c90853e53dcf",
      happened:
        "Two force closes on mainnet, of which one is this: app and extension both ran LDK on one directory, kept apart only by advisory heartbeats, and the channel went back by one commitment.",
      opponent: .stableChannels, breaks: .channelNeverBack, counts: [.opens: 1, .preemptions: 2]),
    Incident(
      name: "stable-channels-stale-flag", who: "Stable Channels, August 2026",
      link: "https://github.com/toneloc/stable-channels/pull/224",
      happened:
        "A killed extension leaves its flag “at work”, and the app waits its full 30 s for a process that is gone: nine of nine such waits in three weeks.",
      opponent: .stableChannels, breaks: .progress, counts: [.opens: 1, .crashes: 1]),
    Incident(
      name: "phoenix-776", who: "Phoenix, September to November 2025",
      link: "https://github.com/ACINQ/phoenix/pull/776",
      happened:
        "After a rework the app no longer noticed the beats that the extension wrote; both competed for the peer, and payments failed.",
      opponent: .phoenixBefore776, breaks: .oneDriver, counts: [.opens: 1], appIsSuspended: true),
    Incident(
      name: "bitkit-lock", who: "Bitkit, until January 2026",
      link: "https://github.com/synonymdev/bitkit-ios/blob/8fe46c80/Bitkit/Utilities/StateLocker.swift",
      happened:
        "A lock file with a date: each process looks first and writes afterwards, so both can take it. Bitkit removed the node from its extension for other reasons, memory and time.",
      opponent: .bitkit2025, breaks: .oneDriver, counts: [.opens: 1, .preemptions: 2]),
    Incident(
      name: "bitkit-tells-only", who: "Bitkit, since January 2026",
      link: "https://github.com/synonymdev/bitkit-ios/commit/e2c4aff4b6b0fbef41bcb4b05d14d37facded88c",
      happened:
        "Without a node in the extension the two cannot collide; the price is that a payment arrives only if the user opens the app while the peer holds it. That is a cost, not a fault.",
      opponent: .bitkit, breaks: .progress, counts: [:], userStaysAway: true),
    Incident(
      name: "mutiny-889", who: "Mutiny, December 2023",
      link: "https://github.com/MutinyWallet/mutiny-node/pull/889",
      happened:
        "One device sleeps, another uses the node and goes. The first wakes, finds the lock of 60 s expired, and reconnects with the channel in its memory: a force close.",
      opponent: .mutiny, breaks: .channelNeverBack, counts: [.opens: 1], appIsSuspended: true),
    Incident(
      name: "matrix-lease-2023", who: "matrix-rust-sdk, 2023",
      link:
        "https://github.com/matrix-org/matrix-rust-sdk/blob/685cc2bb/crates/matrix-sdk-common/src/store_locks.rs",
      happened:
        "A lease by the wall clock: a holder that loses it is not told and goes on. With a node behind it instead of a key store, channel state goes back.",
      opponent: .matrix2023, breaks: .channelNeverBack, counts: [.opens: 1, .clockSteps: 1]),
    Incident(
      name: "matrix-generations", who: "matrix-rust-sdk, August 2026",
      link:
        "https://github.com/matrix-org/matrix-rust-sdk/blob/64b12e0b/crates/matrix-sdk-common/src/cross_process_lock.rs",
      happened:
        "The row counts its changes of holder, so the next holder reads the state anew, and a refused renewal ends the renewals. The holder that lost the lease is still not told.",
      opponent: .matrix, breaks: .oneDriver, counts: [.opens: 1, .clockSteps: 1]),
    Incident(
      name: "wire-4572", who: "Wire, April to June 2026",
      link: "https://github.com/wireapp/wire-ios/pull/4572",
      happened:
        "The app is suspended inside a transaction, with its file lock, and is not killed: each push then holds the extension for its whole 30 s, until the user opens the app. Four attempts in three months. Baton's app has released the node when iOS suspends it, so this world never stops it inside a transaction; a process that is stopped there would block Baton's extension too.",
      opponent: .wire, breaks: .progress, counts: [:], appIsSuspended: true, userStaysAway: true),
  ]

  static func named(_ name: String) -> Incident? { all.first { $0.name == name } }
}

/// An incident's world, explored under its product's coordination until the named invariant breaks, and under Baton's
/// to the end.
struct Showing: Sendable {
  let incident: Incident
  /// Nil if the invariant did not break.
  let broken: ExploreReport.Finding?
  let baton: Baton

  enum Baton: Sendable {
    case holds(states: Int)
    case breaks(ExploreReport.Finding)
    case gaveUp(ExploreLimits.Reached)
  }

  fileprivate init(_ incident: Incident, product: ExploreReport, baton: Baton) {
    self.incident = incident
    broken = product.findings.first { $0.violation.invariant == incident.breaks }
    self.baton = baton
  }

  /// The product's coordination breaks, Baton's does not.
  var isAsExpected: Bool { if case .holds = baton { broken != nil } else { false } }

  var isInterrupted: Bool { if case .gaveUp(.interruption) = baton { true } else { false } }

  var exitCode: ExitCode {
    switch baton {
    case .breaks(let finding): finding.violation.exitCode
    case .gaveUp(let reached): reached.exitCode
    case .holds: broken == nil ? .differs : .done
    }
  }
}

/// Explores the worlds of incidents; Baton's part of equal worlds once.
struct Museum {
  let jobs: Int
  var signals: SignalWatch?
  private(set) var known: [ExploreSettings: Showing.Baton] = [:]

  /// More states than any of these worlds has.
  private static let statesMax = 500_000

  mutating func show(_ incident: Incident, progress: (ExploreReport) -> Void = { _ in }) -> Showing {
    let product = explored(incident.settings(incident.opponent), progress)
    if case .interruption? = product.reached {
      return Showing(incident, product: product, baton: outcome(product))
    }
    let world = incident.settings(.baton)
    let baton = known[world] ?? outcome(explored(world, progress))
    known[world] = baton
    return Showing(incident, product: product, baton: baton)
  }

  private func explored(_ settings: ExploreSettings, _ progress: (ExploreReport) -> Void) -> ExploreReport {
    ExploreReport(
      exploring: settings, jobs: jobs, ExploreLimits(states: Self.statesMax, signals: signals),
      progress: progress)
  }

  private func outcome(_ report: ExploreReport) -> Showing.Baton {
    if let finding = report.findings.first { return .breaks(finding) }
    return report.reached.map { .gaveUp($0) } ?? .holds(states: report.states)
  }
}

extension [Showing] {
  /// The gravest code.
  var exitCode: ExitCode {
    let codes = map(\.exitCode)
    let answers: [ExitCode] = [.exclusionOrMoneyBroken, .noProgress, .differs, .gaveUp, .done]
    return codes.first { !answers.contains($0) } ?? answers.first { codes.contains($0) } ?? .done
  }
}

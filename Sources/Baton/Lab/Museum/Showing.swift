import DaemonRuntime
import Simulation

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
  var isAsExpected: Bool {
    if case .holds = baton { broken != nil } else { false }
  }

  var isInterrupted: Bool { if case .gaveUp(.interruption) = baton { true } else { false } }

  var exitCode: ExitCode {
    switch baton {
    case .breaks(let finding):
      finding.violation.invariant == .progress ? .noProgress : .exclusionOrMoneyBroken
    case .gaveUp(let reached): reached.exitCode
    case .holds: broken == nil ? .differs : .done
    }
  }
}

/// Explores the worlds of incidents; Baton's part of equal worlds once.
struct Museum {
  let jobs: Int
  var signals: SignalWatch?
  private var known: [ExploreSettings: Showing.Baton] = [:]

  /// More states than any of these worlds has.
  private static let statesMax = 500_000

  init(jobs: Int, signals: SignalWatch? = nil) {
    self.jobs = jobs
    self.signals = signals
  }

  mutating func show(_ incident: Incident, progress: (Exploration) -> Void = { _ in }) -> Showing {
    let product = explored(incident.settings(incident.opponent), progress)
    if case .interruption? = product.reached {
      return Showing(incident, product: product, baton: outcome(product))
    }
    let world = incident.settings(.baton)
    let baton = known[world] ?? outcome(explored(world, progress))
    known[world] = baton
    return Showing(incident, product: product, baton: baton)
  }

  private func explored(_ settings: ExploreSettings, _ progress: (Exploration) -> Void) -> ExploreReport {
    var exploration = Exploration(
      settings, jobs: jobs, limits: ExploreLimits(states: Self.statesMax, signals: signals))
    exploration.run(progress: progress)
    return ExploreReport(exploration)
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

import DaemonRuntime
import PhoneClient
import Simulation
import Terminal

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

  /// More states than any of these worlds has.
  private static let statesMax = 500_000

  init(
    _ incident: Incident, jobs: Int, signals: SignalWatch? = nil, progress: (Exploration) -> Void = { _ in }
  ) {
    self.incident = incident
    func explored(_ coordination: Coordination) -> Exploration {
      let limits = ExploreLimits(states: Self.statesMax, signals: signals)
      var exploration = Exploration(incident.settings(coordination), jobs: jobs, limits: limits)
      exploration.run(progress: progress)
      return exploration
    }
    broken = ExploreReport(explored(incident.opponent)).findings
      .first { $0.violation.invariant == incident.breaks }
    let report = ExploreReport(explored(.baton))
    if let finding = report.findings.first {
      baton = .breaks(finding)
    } else if let reached = report.reached {
      baton = .gaveUp(reached)
    } else {
      baton = .holds(states: report.states)
    }
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

extension [Showing] {
  /// The gravest code.
  var exitCode: ExitCode {
    let codes = map(\.exitCode)
    let answers: [ExitCode] = [.exclusionOrMoneyBroken, .noProgress, .differs, .gaveUp, .done]
    return codes.first { !answers.contains($0) } ?? answers.first { codes.contains($0) } ?? .done
  }
}

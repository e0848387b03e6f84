import CoreShape
import DaemonRuntime
import Simulation

/// What one rule of the coordination is for: a world without it is explored, in ever other bounds, until a promise
/// breaks; and seeds are run without it, to see how long people wait.
struct Ablation {
  /// A small world in which something may go wrong.
  struct Trial {
    var words: String
    var bounds: Bounds
  }

  struct Finding {
    var rule: Rule
    /// The first world in which a promise broke, and the shortest story of it.
    var broken: (trial: Trial, violation: Violation, story: [String])?
    var figures: SimFigures
  }

  /// The small ones first: the shorter the story.
  static let trials: [Trial] = [
    trial("nothing goes wrong", [.preemptions: 2]),
    trial("a lock file is replaced", [.replacedLocks: 1]),
    trial("a connection is slow", [.slowConnections: 1]),
    trial("a presence message is lost, repeated or late", [.messageFaults: 1]),
    trial("a process is killed", [.crashes: 1]),
    trial("a process is frozen", [.freezes: 1]),
  ]

  private static func trial(_ words: String, _ counts: [Allowance: Int]) -> Trial {
    var bounds = Bounds()
    bounds[.pushes] = 1
    bounds[.opens] = 1
    for (allowance, count) in counts { bounds[allowance] = count }
    return Trial(words: words, bounds: bounds)
  }

  let jobs: Int
  let seeds: SeedRange

  /// With the whole set of rules, to compare with.
  var figuresOfAll: SimFigures { figures(without: Rules()) }

  func find(_ rule: Rule) -> Finding {
    var broken: (trial: Trial, violation: Violation, story: [String])?
    for trial in Self.trials {
      broken = explore(trial, without: rule)
      if broken != nil { break }
    }
    return Finding(rule: rule, broken: broken, figures: figures(without: Rules([rule])))
  }

  private func explore(_ trial: Trial, without rule: Rule) -> (Trial, Violation, [String])? {
    var settings = ExploreSettings()
    settings.bounds = trial.bounds
    settings.world.without = Rules([rule])
    var exploration = Exploration(settings, jobs: jobs, statesMax: Self.statesMax)
    exploration.run()
    let report = ExploreReport(exploration)
    return report.findings.first.map { (trial, $0.violation, $0.story) }
  }

  /// A world with more states is given up: the story would not be short.
  private static let statesMax = 200_000

  private func figures(without rules: Rules) -> SimFigures {
    let campaign = SimCampaign(seeds, jobs: jobs) { seed in
      var settings = RunSettings(seed: seed)
      settings.world.without = rules
      return settings
    }
    return campaign.run { _ in }
  }
}

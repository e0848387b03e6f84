import DaemonRuntime
import Ground
import Guardrails
import Simulation

/// Shows what the rules of the coordination prevent: explores worlds without one or two rules, with various bounds,
/// until an invariant breaks, and runs seeds without them to measure waiting times.
package struct Ablation {
  package struct Finding {
    package var rules: [Rule]
    /// The first world in which an invariant broke, with the shortest story.
    package var broken: Broken?
    package var figures: SimFigures

    package var breaks: Bool { broken != nil || !figures.broken.isEmpty }
  }

  package struct Broken {
    /// The trial's condition.
    package var words: String
    package var violation: Violation
    package var story: [String]
  }

  let jobs: Int
  let seeds: SeedRange
  var wallet = WalletProfile.phoenix
  var steps: AblationSteps?

  /// With all rules, for comparison.
  var figuresOfAll: SimFigures { figures(without: []) }

  package func find(_ rules: [Rule]) -> Finding {
    Finding(rules: rules, broken: explored(rules), figures: figures(without: rules))
  }

  /// For rules that break nothing alone: nil if the seeds break nothing without all of them, either.
  func findTogether(_ rules: [Rule]) -> Finding? {
    let figures = figures(without: rules)
    guard let first = figures.broken.first, let violation = first.violation else { return nil }
    let ofSeed = Broken(words: "of seed \(first.seed)", violation: violation, story: [])
    return Finding(rules: rules, broken: explored(rules) ?? ofSeed, figures: figures)
  }

  /// The pairs whose removal breaks an invariant; if there are none, the finding without all of the rules.
  package func together(_ silent: [Rule], tell: ([Rule]) -> Void) -> [Finding] {
    var findings: [Finding] = []
    for pair in silent.pairs {
      tell(pair)
      if let finding = findTogether(pair) { findings.append(finding) }
    }
    guard findings.isEmpty, silent.count > 2 else { return findings }
    tell(silent)
    return [find(silent)]
  }

  private func explored(_ rules: [Rule]) -> Broken? {
    for trial in Trial.ofRules {
      if let broken = explore(trial, without: rules) { return broken }
    }
    return nil
  }

  private func explore(_ trial: Trial, without rules: [Rule]) -> Broken? {
    var settings = ExploreSettings()
    settings.bounds = trial.bounds
    settings.world.without = Rules(rules)
    settings.world.wallet = wallet
    var exploration = Exploration(settings, jobs: jobs, statesMax: Trial.statesMax)
    exploration.run { steps?.tell($0) }
    return ExploreReport(exploration).findings.first.map {
      Broken(words: trial.words, violation: $0.violation, story: $0.story)
    }
  }

  private func figures(without rules: [Rule]) -> SimFigures {
    let campaign = SimCampaign(seeds, jobs: jobs) { [wallet] seed in
      var settings = RunSettings(seed: seed)
      settings.world.without = Rules(rules)
      settings.world.wallet = wallet
      return settings
    }
    return campaign.run { [steps, seeds] in steps?.tell($0, of: seeds) }
  }
}

extension Array {
  /// All pairs, in order.
  var pairs: [[Element]] {
    indices.flatMap { first in self[(first + 1)...].map { [self[first], $0] } }
  }
}

/// Reports the current step of an ablation and its progress: a step may take a minute.
final class AblationSteps: Sendable {
  private let say: @Sendable (String) -> Void
  private let step = Locked("")

  init(say: @escaping @Sendable (String) -> Void) { self.say = say }

  func begin(_ name: String) {
    step.withLock { $0 = name }
    say(name)
  }

  func tell(_ exploration: Exploration) { tell(ExploreReport.progress(exploration)) }

  func tell(_ figures: SimFigures, of range: SeedRange) {
    tell("\(HumanText.grouped(figures.seeds)) of \(HumanText.grouped(range.count)) seeds")
  }

  private func tell(_ sentence: String) { say("\(step.withLock { $0 }): \(sentence)") }
}

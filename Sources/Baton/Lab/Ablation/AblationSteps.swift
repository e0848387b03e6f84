import DaemonRuntime

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

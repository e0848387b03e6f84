@testable import Guardrails

/// Tens of thousands of random runs: the promises hold under any events, and the machine ends when asked.
@Suite struct MachinePropertyTests {
  private func keepPromises<Machine: GuardMachine>(_: Machine.Type, seeds: Range<UInt64>, steps: Int) {
    for seed in seeds {
      var run = RandomRun<Machine>(seed: seed)
      for _ in 0..<steps { run.step() }
      run.comeToAnEnd()
      guard run.promises.broken.isEmpty else {
        var again = RandomRun<Machine>(seed: seed, keepsStory: true)
        for _ in 0..<steps { again.step() }
        again.comeToAnEnd()
        let story = again.story.suffix(60).joined(separator: "\n")
        Issue.record("seed \(seed): \(run.promises.broken)\n\(story)")
        return
      }
    }
  }

  @Test func `No invariant of the extension breaks in 12,000 short random runs`() {
    keepPromises(ExtensionMachine.self, seeds: 0..<12_000, steps: 25)
  }

  @Test func `No invariant of the extension breaks in 3,000 long random runs`() {
    keepPromises(ExtensionMachine.self, seeds: 100_000..<103_000, steps: 150)
  }

  @Test func `No invariant of the extension without a node breaks in 12,000 random runs`() {
    keepPromises(TellingExtensionMachine.self, seeds: 0..<12_000, steps: 40)
  }

  @Test func `No invariant of the app breaks in 12,000 short random runs`() {
    keepPromises(AppMachine.self, seeds: 0..<12_000, steps: 25)
  }

  @Test func `No invariant of the app breaks in 3,000 long random runs`() {
    keepPromises(AppMachine.self, seeds: 100_000..<103_000, steps: 150)
  }

  @Test func `The same seed gives the same run`() {
    func life() -> [String] {
      var run = RandomRun<ExtensionMachine>(seed: 5, keepsStory: true)
      for _ in 0..<100 { run.step() }
      return run.story
    }
    expect(life(), is: life())
  }

  /// These tests check nothing about a state that random runs never enter.
  @Test func `Random runs enter every state`() {
    let ownership: Set = [
      "idle", "looking", "claiming", "owning unstarted", "owning started", "owning raising", "releasing",
      "closing unstarted", "closing raising",
    ]
    let app: Set = ["background", "foreground", "staying", "leaving", "ending", "ended"]
    expect(missing(of: app.union(ownership), in: AppMachine.self, under: "place"), is: [])
    let notifier: Set = ["waiting", "serving", "releasing", "finishing", "ended"]
    expect(missing(of: notifier.union(ownership), in: ExtensionMachine.self, under: "state"), is: [])
  }

  private func missing<Machine: GuardMachine>(
    of expected: Set<String>, in _: Machine.Type, under label: String
  ) -> Set<String> {
    var missing = expected
    for seed in 0..<3000 as Range<UInt64> where !missing.isEmpty {
      var run = RandomRun<Machine>(seed: seed)
      for step in 0...60 {
        if step < 60 { run.step() } else { run.comeToAnEnd() }
        let mirror = Mirror(reflecting: run.machine)
        if let state = mirror.descendant(label) { missing.remove(name(state)) }
        if let state = mirror.descendant("ownership", "state") as? Ownership.State {
          missing.remove(name(state))
        }
      }
    }
    return missing
  }

  private func name(_ state: Any) -> String { Mirror(reflecting: state).children.first?.label ?? "\(state)" }

  private func name(_ state: Ownership.State) -> String {
    switch state {
    case .idle: "idle"
    case .looking: "looking"
    case .claiming: "claiming"
    case .owning(let owning): "owning \(owning.node)"
    case .releasing: "releasing"
    case .closing(let owning): "closing \(owning.node)"
    }
  }
}

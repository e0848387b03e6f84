import CoreShape
import DaemonRuntime
import Simulation
import Testing

@testable import BatonCommand

@Suite("baton explore and baton ablation") struct ExploreTests {
  private func settings(_ counts: [Allowance: Int], without rules: [Rule] = []) -> ExploreSettings {
    var settings = ExploreSettings()
    settings.bounds = Bounds()
    for (allowance, count) in counts { settings.bounds[allowance] = count }
    settings.world.without = Rules(rules)
    return settings
  }

  private func report(_ settings: ExploreSettings, jobs: Int = 1, statesMax: Int = .max) -> ExploreReport {
    var exploration = Exploration(settings, jobs: jobs, statesMax: statesMax)
    exploration.run()
    return ExploreReport(exploration)
  }

  private let output = Output(isJSON: false)

  @Test("The outcome does not depend on the number of threads") func threads() {
    func lines(_ jobs: Int) -> [String] {
      // The first line says how long it took.
      Array(report(settings([.pushes: 1, .crashes: 1]), jobs: jobs).text(output).dropFirst())
    }
    let one = lines(1)
    #expect(one.last?.contains("all states were visited, and no promise broke") == true)
    #expect(lines(3) == one)
  }

  @Test("With more states than are allowed it gives up in words, and not with success") func givingUp() {
    let report = report(settings([.pushes: 1, .opens: 1]), statesMax: 50)
    #expect(report.exitCode == .noProgress)
    #expect(report.text(output).last?.contains("given up") == true)
    #expect(report.json.text.contains(#""complete":false"#))
  }

  @Test("A promise that breaks is a story that ends with it, in text and in JSON") func broken() {
    let report = report(
      settings([.pushes: 1, .opens: 1, .replacedLocks: 1], without: [.inodeCheck]))
    #expect(report.exitCode == .exclusionOrMoneyBroken)
    let story = report.findings.first?.story ?? []
    #expect(story.contains { $0.contains("a new file is put in the place of") })
    #expect(story.contains { $0.contains("BROKEN") })
    #expect(report.json.text.contains(#""invariant":9"#))
  }

  @Test("Every bound has an option of its own name, with the default that the help says") func options()
    throws
  {
    let words = Allowance.allCases.map(\.word)
    #expect(Set(words).count == words.count)
    for declaration in ExploreOptions.declarations.prefix(words.count) {
      let allowance = Allowance.allCases.first { ["--" + $0.word] == declaration.names }
      #expect(declaration.defaultValue == allowance.map { String(Bounds.standard[$0]) })
    }
  }

  @Test("What a rule is for is a row, and its story stands below the table") func ablationPage() {
    let violation = Violation(invariant: .healthyOwnerStays, sentence: "It claims.")
    let finding = Ablation.Finding(
      rule: .inodeCheck, broken: (Ablation.trials[1], violation, ["a story"]), figures: SimFigures())
    let silent = Ablation.Finding(rule: .wishAsState, broken: nil, figures: SimFigures())
    let seeds = SeedRange("1..9")
    let page =
      seeds.map { AblationReport(findings: [finding, silent], all: SimFigures(), seeds: $0).markdown } ?? []
    #expect(
      page.contains { $0.hasPrefix("| `inode-check` |") && $0.contains("A healthy owner is not displaced.") })
    #expect(page.contains { $0.hasPrefix("| `wish-as-state` |") && $0.contains("none in these worlds") })
    #expect(page.filter { $0.hasPrefix("## ") } == ["## Without `inode-check`"])
    #expect(page.contains("a story"))
  }
}

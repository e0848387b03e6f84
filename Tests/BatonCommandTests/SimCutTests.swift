import Ground
import DaemonRuntime
import Simulation
import Testing
import WaitingTests

@testable import Baton

@Suite("A range of seeds with many broken ones", .waits) struct SimCutTests {
  private let scratch = Scratch()

  private func figures(jobs: Int, brokenMax: Int?) -> SimFigures {
    let campaign = SimCampaign(SeedRange(1, 40), jobs: jobs, brokenMax: brokenMax) { seed in
      var settings = RunSettings(seed: seed)
      settings.world.without = Rules([.initCheck, .stateFromClaim])
      return settings
    }
    return campaign.run { _ in }
  }

  @Test
  func `A limit of broken seeds ends sim after the same seed on any number of threads; no later seed counts`()
  {
    let alone = figures(jobs: 1, brokenMax: 5)
    #expect(alone.broken.count == 5)
    #expect(alone.seeds == alone.broken.last?.seed, "seeds begin with 1")
    for jobs in [2, 3, 7] {
      let together = figures(jobs: jobs, brokenMax: 5)
      #expect(together.broken == alone.broken)
      #expect(together.seeds == alone.seeds && together.events == alone.events)
      #expect(together.faults == alone.faults)
    }
  }

  @Test func `Without a limit of broken seeds every seed is run`() {
    let figures = figures(jobs: 3, brokenMax: nil)
    #expect(figures.seeds == 40 && figures.broken.count > 5)
    #expect(figures.broken.map(\.seed) == figures.broken.map(\.seed).sorted())
  }

  @Test func `baton sim stops after 100 broken seeds, and reports this in text, JSON and JUnit`() throws {
    let words = [
      "sim", "--seeds", "1..300", "--length", "10m", "--without", "init-check,state-from-claim",
    ]
    var child = try scratch.start("baton", words + ["--jobs", "3", "--junit", scratch("out.xml")])
    #expect(scratch.end(child) == .exited(code: 2))
    let match = try #require(
      scratch.text("said").firstMatch(of: /stopped after 100 broken seeds: (?<run>\d+) of 300 run\n/))
    let junit = scratch.text("out.xml")
    #expect(junit.contains(String(match.0.dropLast())) && junit.contains(#"name="Every seed was run.""#))
    #expect(junit.contains(#" errors="1" "#) && junit.contains(#" failures="100" "#))
    child = try scratch.start("baton", words + ["--jobs", "1", "--json"])
    #expect(scratch.end(child) == .exited(code: 2))
    let json = try #require(JSONValue(parsing: Array(scratch.text("said").utf8)))
    #expect(json["seeds"]?.uint == UInt64(match.run) && json["seeds_asked"]?.uint == 300)
    #expect(json["stopped_after_broken"]?.flag == true)
  }

  @Test func `If baton sim has run every seed, it reports no early stop`() throws {
    let words = ["sim", "--seeds", "1..3", "--length", "1m"]
    #expect(scratch.end(try scratch.start("baton", words)) == .exited(code: 0))
    #expect(!scratch.text("said").contains("stopped"))
    #expect(scratch.end(try scratch.start("baton", words + ["--json"])) == .exited(code: 0))
    #expect(scratch.text("said").contains(#""seeds":3,"seeds_asked":3,"stopped_after_broken":false"#))
  }

  @Test func `baton sim lists the most frequent faults with their rates per simulated hour`() throws {
    #expect(scratch.end(try scratch.start("baton", ["sim", "--seeds", "1..3"])) == .exited(code: 0))
    let text = scratch.text("said")
    #expect(
      text.contains(/\n +per simulated hour: ([^,\n]+ [0-9]+, ){6}and [0-9]+ other kinds \(--json\)\n/),
      "\(text)")
  }
}

import Simulation

@testable import Baton

@Suite("A range of seeds with many broken ones", .waits) struct SimCutTests {
  private func figures(jobs: Int, brokenMax: Int?) -> SimFigures {
    let campaign = SimCampaign(range: SeedRange(1, 40), jobs: jobs, brokenMax: brokenMax) { seed in
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
    expect(alone.broken.count, is: 5)
    expect(alone.seeds, is: alone.broken.last?.seed, "seeds begin with 1")
    for jobs in [2, 3, 7] {
      let together = figures(jobs: jobs, brokenMax: 5)
      expect(together.broken, is: alone.broken)
      #expect(together.seeds == alone.seeds && together.events == alone.events)
      expect(together.faults, is: alone.faults)
    }
  }

  @Test func `Without a limit of broken seeds every seed is run`() {
    let figures = figures(jobs: 3, brokenMax: nil)
    #expect(figures.seeds == 40 && figures.broken.count > 5)
    expect(figures.broken.map(\.seed), is: figures.broken.map(\.seed).sorted())
  }
}

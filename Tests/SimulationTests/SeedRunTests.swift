import GeneratedPages
import Ground
import Testing

@testable import Simulation

@Suite("Runs of a seed") struct SeedRunTests {
  @Test(arguments: [false, true])
  func `B-1.5.0e No invariant breaks in 24 runs with every kind of fault, with or without silent pushes`(
    peerIsLegacy: Bool
  ) {
    var faults = [Int](repeating: 0, count: FaultKind.allCases.count)
    var paid = 0
    var sent = 0
    var paidWithSilentPushes = 0
    for seed in 1...24 as ClosedRange<UInt64> {
      var settings = RunSettings(seed: seed)
      settings.world.peerIsLegacy = peerIsLegacy
      var run = SeedRun(settings)
      let result = run.run()
      #expect(result.violation == nil, "baton replay --seed \(seed)")
      for place in faults.indices { faults[place] += result.faults[place] }
      paid += result.paid
      sent += result.arrived
      let hasSilentPushes = Agenda(seed: seed, length: settings.length).hasSilentPushes
      if hasSilentPushes { paidWithSilentPushes += result.paid }
    }
    for (kind, count) in zip(FaultKind.allCases, faults) {
      // Without fences the peer cannot tell two devices apart.
      #expect(count > 0 || kind == .otherDevice && peerIsLegacy, "\(kind.rawValue)")
    }
    #expect(paid > 200)
    #expect(sent > 40)
    #expect(paidWithSilentPushes > 50)
    #expect(paid - paidWithSilentPushes > 50)
  }

  /// A digest of all directives of some runs, the same in debug and release builds and on any machine. It changes with
  /// every change of a core: run this test with BATON_WRITE_PAGES=1, and raise `JournalForm.current` if older journals replay differently.
  @Test func `The stories of four seeds have the stored digest in every build`() throws {
    var digest = Digest()
    for seed in 1...4 as ClosedRange<UInt64> {
      var settings = RunSettings(seed: seed)
      settings.length = .seconds(120)
      var run = SeedRun(settings, isRecorded: true)
      _ = run.run { world in
        for said in world.takeSaid() { digest.add("\(world.peerNow.nanoseconds) \(said)\n") }
      }
    }
    try GeneratedPage("Generated/seed-stories.digest").expect(digest.hex + "\n")
  }

  @Test func `Recording a run does not change it`() {
    for seed in 1...3 as ClosedRange<UInt64> {
      var silent = SeedRun(RunSettings(seed: seed))
      var heard = SeedRun(RunSettings(seed: seed), isRecorded: true)
      #expect(silent.run() == heard.run { _ = $0.takeSaid() })
    }
  }

  @Test func `Different seeds and different orders give different runs`() {
    var results = Set<UInt64>()
    for seed in 1...6 as ClosedRange<UInt64> {
      var run = SeedRun(RunSettings(seed: seed))
      results.insert(run.run().moves)
    }
    #expect(results.count > 4)
    let orders = (0..<4 as Range<UInt64>).map { order in
      var settings = RunSettings(seed: 1)
      settings.order = order
      var run = SeedRun(settings)
      return run.run()
    }
    #expect(Set(orders).count == 4)
  }
}

/// FNV-1a, sufficient to distinguish texts.
private struct Digest {
  private var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ text: String) {
    for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
  }

  var hex: String { String(value, radix: 16) }

  /// Regression: a payment was fulfilled before messages could be sent, and the next step stored it without its
  /// receipt.
  @Test func `Seed 4055, in which a payment is fulfilled while nothing can be sent, breaks no invariant`() {
    var settings = RunSettings(seed: 4055)
    settings.only = [21, 22, 23, 28, 29, 30, 31, 35, 37, 39, 41, 42]
    var run = SeedRun(settings)
    #expect(run.run().violation == nil)
  }
}

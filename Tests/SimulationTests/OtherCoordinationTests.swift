import Heartbeat
import Museum
import Testing

@testable import Simulation

/// Other products' coordination in an exhaustive search, which finds each flaw by itself.
@Suite("Other products' coordination") struct OtherCoordinationTests {
  /// Searches layer by layer, so that each finding is a shortest one.
  private func finds(
    _ sentences: String..., as coordination: Coordination, in counts: [Allowance: Int],
    statesMax: Int = 20_000
  ) -> Bool {
    var settings = ExploreSettings()
    settings.world.coordination = coordination
    settings.findsAll = true
    settings.bounds = Bounds(counts)
    settings.bounds[.pushes] = 1
    settings.bounds[.opens] = 1
    var explorer = Explorer(settings)
    func isFound() -> Bool {
      sentences.allSatisfy { words in explorer.findings.contains { $0.violation.sentence.contains(words) } }
    }
    while !explorer.isDone, !isFound(), explorer.states < statesMax {
      explorer.take(explorer.expand(0..<explorer.waiting))
      explorer.finishLayer()
    }
    return isFound()
  }

  @Test func `Phoenix: after the extension has finished, the app waits while the last beat looks fresh`() {
    #expect(finds("the extension has finished, but its last beat looks fresh for 5 s", as: .phoenix, in: [:]))
  }

  @Test
  func `P-0.4 Phoenix: with a lost, repeated or late message both processes check and then connect`() {
    #expect(finds("checked before the extension's first beat", as: .phoenix, in: [.messageFaults: 1]))
  }

  @Test
  func
    `Phoenix: with a task the app in front outvotes the extension, and in the background tells it nothing`()
  {
    #expect(
      finds(
        "its votes for a connection outweigh the one against it",
        "runs in the background with a task and sends no message there", as: .phoenix, in: [.tasks: 1]))
  }

  @Test
  func `Phoenix: a clock set forward connects both; set back, it makes the app wait`() {
    #expect(
      finds(
        "the wall clock was stepped, so the extension's", "is in the future", as: .phoenix,
        in: [.clockSteps: 1]))
  }

  @Test func `P-0.4 Phoenix: with a lost, repeated or late message a payment is received twice`() {
    #expect(finds("A payment is received a second time.", as: .phoenix, in: [.messageFaults: 1]))
  }

  @Test func `Bitkit: both take the lock after a check, and a killed process leaves it locked`() {
    #expect(
      finds("both checked the lock, found it free, and then took it", as: .bitkit2025, in: [.preemptions: 1]))
    #expect(
      finds(
        "an extension that no longer runs a node still holds the lock", as: .bitkit2025, in: [.crashes: 1]))
  }

  @Test func `Bitkit of 2026: with one node there is no second, also when a process is killed`() {
    #expect(!finds("run their node at the same time", as: .bitkit, in: [.preemptions: 1, .crashes: 1]))
  }

  @Test func `Mutiny: an extension that has stopped its node still holds the lock`() {
    #expect(finds("an extension that no longer runs a node still holds the lock", as: .mutiny, in: [:]))
  }

  @Test func `Matrix: a thawed holder continues with its node`() {
    #expect(
      finds(
        "was frozen until its sign of life was stale, and its node goes on", as: .matrix2023,
        in: [.freezes: 1]))
  }

  @Test func `Baton breaks no invariant with a set clock, a task or a late message in 3,000 states`() {
    #expect(!finds("", as: .baton, in: [.clockSteps: 1, .tasks: 1], statesMax: 3000))
    #expect(!finds("", as: .baton, in: [.messageFaults: 1], statesMax: 3000))
  }
}

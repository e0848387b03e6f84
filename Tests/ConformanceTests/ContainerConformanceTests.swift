import Ground
import Guardrails
import Heartbeat
import TestKit

/// The simulated and the real container take the same steps and must give the same answers, so that results of the
/// simulation hold for the real one.
@Suite("Conformance: lock, claim, fenced write, beat and intent") struct ContainerConformanceTests {
  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func `The simulated container answers 250 random steps as a real container directory does`(seed: UInt64)
    throws
  {
    var generator = SeededGenerator(seed: seed)
    let real = try RealContainer()
    var model = ModelContainer()
    var highest: Epoch = 0
    var story: [String] = []
    var kinds = Set<ContainerAnswer.Kind>()
    for number in 1...250 as ClosedRange<UInt64> {
      let step = ContainerStep.random(&generator, highest: highest, number: number)
      let expected = try real.take(step)
      let answer = try model.take(step)
      story.append("\(step) → \(expected)")
      if case .claimed(let epoch, _) = expected { highest = epoch }
      kinds.insert(expected.kind)
      try #require(answer == expected, "seed \(seed), after \(story.suffix(12).joined(separator: "\n"))")
    }
    #expect(kinds.isSuperset(of: [.claimed, .superseded, .refused, .written, .fenced, .seen, .done]))
  }
}

extension ContainerAnswer {
  enum Kind: Hashable { case claimed, superseded, ownLockBusy, blocked, refused, written, fenced, seen, done }

  var kind: Kind {
    switch self {
    case .claimed: .claimed
    case .superseded: .superseded
    case .ownLockBusy: .ownLockBusy
    case .blocked: .blocked
    case .refused: .refused
    case .written: .written
    case .fenced: .fenced
    case .seen: .seen
    case .done: .done
    }
  }
}

extension BootID { static let sample = BootID(high: 3, low: 4) }

extension Instant { static let sample = Instant(nanoseconds: 5) }

extension ProcessIdentity { static let sample = ProcessIdentity(pid: 6, startTime: 7, boot: .sample) }

extension Beat {
  static func sample(_ role: Role, _ epoch: Epoch, _ counter: UInt64, _ phase: Phase) -> Beat {
    Beat(
      role: role, epoch: epoch, phase: phase, counter: counter, process: .sample, bootClock: .sample,
      wallClockNanoseconds: 0)
  }
}

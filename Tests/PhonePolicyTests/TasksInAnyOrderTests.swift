@testable import PhonePolicy

/// In any order of events: each request ends once, a run has its assertion exactly as long as it runs, and no
/// deadline lies in the past.
@Suite struct TasksInAnyOrderTests {
  @Test(.shows("K-33", "D-1.2"))
  func `In random orders of events each task request ends exactly once, and none runs before its date`() {
    let runs = (0..<200 as Range<UInt64>).map(runs)
    #expect(runs.filter { $0 > 3 }.count > 100)
  }

  /// The number of runs.
  private func runs(_ seed: UInt64) -> Int {
    var random = SeededGenerator(seed: seed)
    var phone = TestPhone.withTasks {
      $0.tasks.deferralPercent = 50
      $0.enforcesLimits = seed % 4 != 0
    }
    var ends: [UInt64] = []
    var starts = 0
    var earliest: [UInt64: Instant] = [:]
    for step in 0..<400 {
      phone.now = phone.now + .seconds(.random(in: 0...400, using: &random))
      let event = step == 399 ? .downRequested : Self.event(phone, &random)
      for directive in phone(event) {
        guard case .recordTask(let record) = directive else { continue }
        switch record.fate {
        case .waits, .expires: break
        case .runs(let isByHand):
          starts += 1
          if !isByHand { expect(earliest[record.number].map { $0 <= phone.now }, is: true) }
        case .replaced, .cancelled, .refused, .completed, .expired, .lost: ends.append(record.number)
        }
      }
      for pending in phone.phone.tasks.pending where earliest[pending.number] == nil {
        earliest[pending.number] = phone.now + pending.request.earliest
      }
      check(phone)
    }
    for directive in phone(.processEnded(.app, .signalled(9))) {
      if case .recordTask(let record) = directive { ends.append(record.number) }
    }
    expect(ends.sorted(), is: Array(1...phone.phone.tasks.lastNumber), "seed \(seed)")
    return starts
  }

  private func check(_ phone: TestPhone) {
    let held = phone.phone.assertions.held.compactMap {
      if case .scheduledTask(let identifier) = $0.assertion { identifier } else { nil }
    }
    expect(held.sorted(), is: phone.runs.sorted())
    let kinds = phone.phone.tasks.running.map(\.request.kind)
    #expect(kinds.count <= 2 || !phone.phone.configuration.enforcesLimits)
    for pending in phone.phone.tasks.pending { #expect(pending.isDue || pending.dueAt > phone.now) }
    for run in phone.phone.tasks.running { #expect(run.deadline.map { $0 > phone.now } ?? true) }
    #expect(phone.phone.app != .notRunning || phone.runs.isEmpty)
  }

  private static func event(_ phone: TestPhone, _ random: inout SeededGenerator) -> PhoneEvent {
    let identifier = Bool.random(using: &random) ? sync : processing
    switch Int.random(in: 0..<18, using: &random) {
    case 0: return .userOpened
    case 1, 2: return .userWentHome
    case 3: return Int.random(in: 0..<4, using: &random) == 0 ? .userQuit : .userWentHome
    case 4, 5: return .processStarted(.app, pid: 1)
    case 6: return .processEnded(.app, .signalled(9))
    case 7, 8, 9:
      return .task(
        .submitted(
          TaskRequest(
            identifier: identifier, kind: Bool.random(using: &random) ? .refresh : .processing,
            earliest: .seconds(.random(in: 0...2000, using: &random)),
            requiresExternalPower: Bool.random(using: &random))))
    case 10: return .task(.cancelled(identifier: identifier))
    case 11, 12:
      let run = phone.phone.tasks.lastNumber &- UInt64.random(in: 0...2, using: &random)
      return .task(.completed(identifier: identifier, run: run, isSuccess: true))
    case 13: return .deviceChanged(.charger(Bool.random(using: &random)))
    case 14: return .deviceChanged(Bool.random(using: &random) ? .locked : .unlocked)
    case 15: return .task(.launchedByHand(identifier: identifier))
    case 16: return .task(.expiredByHand(identifier: identifier))
    default: return .deadlineReached
    }
  }
}

@testable import Wallet

@Suite("The app's background tasks") struct BackgroundWorkTests {
  private let done = BackgroundStep.done("epoch 3")
  private let blocked = BackgroundStep.busy("the container is blocked by 12")

  private func work(cleansUp: Bool = false, audio: Bool = false) -> BackgroundWork {
    BackgroundWork(configuration: .init(cleansUp: cleansUp, keepsAwakeByAudio: audio))
  }

  /// Work with a refresh run that began at 0 s.
  private func refreshing(_ run: UInt64 = 7) -> BackgroundWork {
    var work = work()
    _ = work.handle(.runBegan(.refresh, run: run), at: seconds(0))
    return work
  }

  private func completed(_ isSuccess: Bool, _ sentence: String, run: UInt64 = 7) -> [BackgroundDirective] {
    [.complete(.refresh, run: run, isSuccess: isSuccess, sentence)]
  }

  @Test(.shows("K-34", "D-1.5")) func `The next refresh is submitted before the work begins`() {
    var work = work()
    expect(
      work.handle(.runBegan(.refresh, run: 7), at: seconds(0)),
      is: [.submit(.refresh), .lookAtWallet(run: 7)])
    expect(work.handle(.stepDone(run: 7, done), at: seconds(1)), is: completed(true, "epoch 3"))
    expect(work.handle(.stepDone(run: 7, done), at: seconds(1)), is: [])
    #expect(work.runs == [] && work.deadline == nil)
    expect(BackgroundTask.refresh.earliestSeconds, is: 14_400)
  }

  @Test(.shows("D-1.6", "K-34"))
  func `A failed refresh is completed without success; the next one submits a refresh too`() {
    var work = refreshing()
    expect(
      work.handle(.stepDone(run: 7, .failed("no such file")), at: seconds(1)),
      is: completed(false, "no such file"))
    expect(
      work.handle(.runBegan(.refresh, run: 8), at: seconds(2)),
      is: [.submit(.refresh), .lookAtWallet(run: 8)])
  }

  @Test func `A blocked refresh tries again every 250 ms until it can read`() {
    var work = refreshing()
    for look in 0..<3 {
      let now = seconds(Double(look) / 4)
      expect(work.handle(.stepDone(run: 7, blocked), at: now), is: [])
      expect(work.deadline, is: now + .milliseconds(250))
      expect(work.handle(.deadlineReached, at: now + .milliseconds(249)), is: [])
      expect(work.handle(.deadlineReached, at: now + .milliseconds(250)), is: [.lookAtWallet(run: 7)])
      #expect(work.deadline == nil)
    }
    expect(work.handle(.stepDone(run: 7, done), at: seconds(1)), is: completed(true, "epoch 3"))
  }

  @Test func `A blocked refresh is completed without success 25 s after its beginning`() {
    expect(BackgroundWork.timeLimit, is: .seconds(25))
    var work = refreshing()
    expect(work.handle(.stepDone(run: 7, blocked), at: seconds(24.9)), is: [])
    // The last look is at the limit, not behind it.
    expect(work.deadline, is: seconds(25))
    expect(work.handle(.deadlineReached, at: seconds(25)), is: [.lookAtWallet(run: 7)])
    expect(
      work.handle(.stepDone(run: 7, blocked), at: seconds(25)),
      is: completed(false, "the container is blocked by 12, and the 25 s that the app gives a run are over"))
    #expect(work.deadline == nil)
  }

  @Test(.shows("K-33", "D-1.4"))
  func `When iOS ends a run's time, its work is cancelled, and it is completed once`() {
    let expired = completed(false, "the time that iOS gives the run is up")
    var work = refreshing()
    _ = work.handle(.stepDone(run: 7, blocked), at: seconds(1))
    expect(work.handle(.runExpires(run: 7), at: seconds(1.1)), is: expired)
    expect(work.handle(.deadlineReached, at: seconds(1.25)), is: [])
    expect(work.handle(.runExpires(run: 7), at: seconds(2)), is: [])
    // During a step, whose answer comes too late.
    work = refreshing()
    expect(work.handle(.runExpires(run: 7), at: seconds(1)), is: expired)
    expect(work.handle(.stepDone(run: 7, done), at: seconds(1)), is: [])
    #expect(work.deadline == nil)
  }

  @Test(.shows("K-33")) func `A late expiry of an older run does not end the newer run`() {
    var work = refreshing(1)
    _ = work.handle(.stepDone(run: 1, done), at: seconds(1))
    _ = work.handle(.runBegan(.refresh, run: 2), at: seconds(2))
    expect(work.handle(.runExpires(run: 1), at: seconds(3)), is: [])
    expect(
      work.handle(.runExpires(run: 2), at: seconds(4)),
      is: completed(false, "the time that iOS gives the run is up", run: 2))
  }

  @Test func `A background task's run that iOS reports twice begins once`() {
    var work = refreshing()
    expect(work.handle(.runBegan(.refresh, run: 7), at: seconds(1)), is: [])
    expect(work.runs.count, is: 1)
  }

  @Test(.shows("M-3.4")) func `Old journals are removed in steps, and other events are handled in between`() {
    var work = work(cleansUp: true)
    expect(
      work.handle(.runBegan(.processing, run: 3), at: seconds(0)),
      is: [.submit(.processing), .cleanUp(run: 3)])
    for _ in 0..<3 {
      // The next step waits for a deadline, so that events raised meanwhile are handled first.
      expect(work.handle(.stepDone(run: 3, .goesOn), at: seconds(1)), is: [])
      expect(work.deadline, is: seconds(1))
      expect(work.handle(.deadlineReached, at: seconds(1)), is: [.cleanUp(run: 3)])
    }
    expect(
      work.handle(.stepDone(run: 3, .done("removed 50 old journals")), at: seconds(1)),
      is: [.complete(.processing, run: 3, isSuccess: true, "removed 50 old journals")])
  }

  @Test(.shows("D-2.4"))
  func `A processing task whose work fails is completed without success, and submits the next one`() {
    var work = work(cleansUp: true)
    expect(
      work.handle(.runBegan(.processing, run: 3), at: seconds(0)),
      is: [.submit(.processing), .cleanUp(run: 3)])
    expect(
      work.handle(.stepDone(run: 3, .failed("no such directory")), at: seconds(1)),
      is: [.complete(.processing, run: 3, isSuccess: false, "no such directory")])
    #expect(work.runs == [] && work.deadline == nil)
  }

  @Test(.shows("D-2.2"))
  func `A processing task with work for more than 25 s is completed without success after 25 s`() {
    var work = work(cleansUp: true)
    _ = work.handle(.runBegan(.processing, run: 3), at: seconds(0))
    for second in 1...24 {
      expect(work.handle(.stepDone(run: 3, .goesOn), at: seconds(Double(second))), is: [])
      expect(work.handle(.deadlineReached, at: seconds(Double(second))), is: [.cleanUp(run: 3)])
    }
    expect(
      work.handle(.stepDone(run: 3, .goesOn), at: seconds(25)),
      is: [
        .complete(
          .processing, run: 3, isSuccess: false,
          "it took too long, and the 25 s that the app gives a run are over")
      ])
    #expect(work.runs == [] && work.deadline == nil)
  }

  @Test func `A run of a background task that this app is not configured for is completed at once`() {
    var work = work()
    expect(
      work.handle(.runBegan(.processing, run: 3), at: seconds(0)),
      is: [.complete(.processing, run: 3, isSuccess: true, "nothing to do")])
    expect(work.runs, is: [])
  }

  @Test
  func
    `Entering the foreground submits the configured tasks and stops the audio; leaving it plays the audio`()
  {
    for cleansUp in [false, true] {
      for audio in [false, true] {
        var work = work(cleansUp: cleansUp, audio: audio)
        expect(
          work.handle(.enteredForeground, at: seconds(0)),
          is: [.submit(.refresh)]
            + (cleansUp ? [.submit(.processing)] : []) + (audio ? [.stopAudio] : []))
        expect(work.handle(.enteredBackground, at: seconds(1)), is: (audio ? [.playAudio] : []))
      }
    }
  }

  @Test func `Without configured background tasks the background work orders nothing`() {
    var work = BackgroundWork(configuration: nil)
    let events: [BackgroundEvent] = [
      .enteredForeground, .enteredBackground, .runBegan(.refresh, run: 1), .runExpires(run: 1),
      .deadlineReached,
    ]
    for event in events { expect(work.handle(event, at: seconds(0)), is: []) }
    #expect(!work.isWanted && work == BackgroundWork(configuration: nil))
  }

  @Test func `With random events each run of a background task is completed once and within 25 s`() {
    var completions = 0
    for seed in 0..<300 as Range<UInt64> {
      var phone = RandomRuns(seed: seed)
      phone.play()
      expect(phone.faults, is: [], "seed \(seed)")
      #expect(phone.work.runs == [] && phone.work.deadline == nil, "seed \(seed)")
      completions += phone.completed.count
    }
    #expect(completions > 3000)
  }
}

/// A phone that begins and expires runs at random, and a container that answers at random.
private struct RandomRuns {
  var work = BackgroundWork(configuration: .init(cleansUp: true, pollsPaykit: true))
  /// When the guard gives the node back.
  var nodeEnds: [UInt64: Instant] = [:]
  var generator: SeededGenerator
  var now = seconds(0)
  var begun: [UInt64: Instant] = [:]
  var completed: Set<UInt64> = []
  var faults: [String] = []

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func play() {
    for _ in 0..<60 {
      run(until: now + .milliseconds(Int64(generator.below(6000))))
      if generator.chance(40), !begun.isEmpty {
        handle(.runExpires(run: UInt64(1 + generator.below(begun.count))))
      } else {
        let run = UInt64(begun.count + 1)
        begun[run] = now
        handle(.runBegan(generator.pick(BackgroundTask.allCases), run: run))
      }
    }
    run(until: now + .seconds(26))
    if completed.count != begun.count {
      faults.append("\(begun.count - completed.count) runs are not completed")
    }
  }

  private mutating func run(until end: Instant) {
    while let deadline = [work.deadline, nodeEnds.values.min()].compactMap({ $0 }).min(), deadline <= end {
      now = max(now, deadline)
      for (run, _) in nodeEnds.filter({ $0.value <= now }).sorted(by: { $0.key < $1.key }) { giveBack(run) }
      handle(.deadlineReached)
    }
    now = end
  }

  private mutating func giveBack(_ run: UInt64) {
    guard nodeEnds.removeValue(forKey: run) != nil else { return }
    if generator.chance(50) { handle(.nodeReady) }
    handle(
      .nodeServed(run: run, generator.pick([.noData, .newData, .failed]), isInFront: generator.chance(30)))
  }

  private mutating func handle(_ event: BackgroundEvent) {
    for directive in work.handle(event, at: now) {
      switch directive {
      case .lookAtWallet(let run), .cleanUp(let run): handle(.stepDone(run: run, step()))
      case .complete(_, let run, _, _):
        if !completed.insert(run).inserted { faults.append("\(run) is completed twice") }
        if let start = begun[run], now - start > .seconds(25) { faults.append("\(run) took \(now - start)") }
      case .wantNode(let run, _): nodeEnds[run] = now + .milliseconds(Int64(generator.below(20_000)))
      case .giveUpNode(let run): giveBack(run)
      case .submit, .playAudio, .stopAudio: break
      }
    }
  }

  /// A step takes no time here: on a phone it is a short read, or sixteen files. Many are blocked for long.
  private mutating func step() -> BackgroundStep {
    switch generator.below(100) {
    case 0: .done("")
    case 1: .failed("")
    case 2...4: .goesOn
    default: .busy("blocked")
    }
  }
}

@testable import PhonePolicy

@Suite struct TaskRunTests {
  private static func running(_ kind: TaskKind, debug: Bool = false) -> TestPhone {
    var phone = TestPhone.withTasks { $0.enforcesLimits = !debug }
    phone.useApp()
    _ = phone.set(.charger(true), .locked)
    phone.submit(kind == .refresh ? sync : processing, kind)
    while phone.runs.isEmpty { _ = phone.passToDeadline() }
    return phone
  }

  @Test(.shows("M-2.3", "M-6.1"))
  func `An app refresh is told to end after 30 s, and a second later no longer keeps the app awake`() {
    var phone = Self.running(.refresh)
    phone.pass(.milliseconds(29_999))
    expect(phone.runs, is: [sync])
    let end = phone.pass(.milliseconds(1))
    expect(end.toldTasks, is: [.willExpire(identifier: sync, run: 1)])
    expect(end.fates, is: [.expires(.timeUp)])
    expect(end.fates.map(\.isEnd), is: [false])
    #expect(phone.phone.assertions.contains(.scheduledTask(sync)))
    expect(phone.pass(.seconds(1)).fates, is: [.expired(.timeUp)])
    #expect(!phone.phone.assertions.contains(.scheduledTask(sync)))
  }

  @Test(.shows("M-3.3", "M-6.8")) func `A processing task is told to end after 180 s`() {
    var phone = Self.running(.processing)
    phone.pass(.seconds(179))
    #expect(phone.phone.tasks.running.first?.expiry == nil)
    expect(phone.pass(.seconds(1)).fates, is: [.expires(.timeUp)])
  }

  @Test(.shows("D-1.4", "K-33"))
  func `A scheduled task's completion within the grace after its time counts, and only once`() {
    var phone = Self.running(.refresh)
    phone.pass(.seconds(30))
    let done = PhoneEvent.task(.completed(identifier: sync, run: 1, isSuccess: false))
    expect(phone(done).fates, is: [.completed(isSuccess: false)])
    #expect(!phone.phone.assertions.contains(.scheduledTask(sync)))
    expect(phone(done), is: [.refuseTaskCompletion(identifier: sync, run: 1)])
    expect(phone.pass(.seconds(10)), is: [])
  }

  @Test(.shows("D-1.5", "D-1.6", "K-33"))
  func `A scheduled task's completion counts once, with or without success`() {
    for isSuccess in [true, false] {
      var phone = Self.running(.refresh)
      let done = PhoneEvent.task(.completed(identifier: sync, run: 1, isSuccess: isSuccess))
      expect(phone(done).fates, is: [.completed(isSuccess: isSuccess)])
      expect(phone(done), is: [.refuseTaskCompletion(identifier: sync, run: 1)])
      expect(phone.runs, is: [])
    }
  }

  @Test(.shows("K-33"))
  func `A late completion of an earlier run of a scheduled task does not end its newer run`() {
    var phone = Self.running(.refresh)
    phone.pass(.seconds(31))
    phone.submit(sync, .refresh)
    while phone.runs.isEmpty { _ = phone.passToDeadline() }
    let late = PhoneEvent.task(.completed(identifier: sync, run: 1, isSuccess: true))
    expect(phone(late), is: [.refuseTaskCompletion(identifier: sync, run: 1)])
    #expect(phone.phone.assertions.contains(.scheduledTask(sync)))
  }

  @Test(.shows("K-34"))
  func
    `A task request submitted while the task runs waits for its own date, and outlives a crash of the app`()
  {
    var phone = Self.running(.refresh)
    phone.submit(sync, .refresh, after: .seconds(14_400))
    _ = phone(.processEnded(.app, .signalled(6)))
    expect(phone.runs, is: [])
    #expect(phone.pass(.seconds(14_400)).contains(.launch(.app, .scheduledTask(sync))))
  }

  @Test(.shows("M-3.7")) func `A processing task ends early when the phone is unlocked or loses its charger`()
  {
    var phone = Self.running(.processing)
    var other = phone
    expect(phone.set(.unlocked).fates, is: [.expires(.phoneInUse)])
    expect(other.set(.charger(false)).fates, is: [.expires(.chargerGone)])
    var refresh = Self.running(.refresh)
    expect(refresh.set(.unlocked, .charger(false)).fates, is: [])
  }

  @Test func `If the app dies, its running scheduled task is recorded as lost`() {
    var phone = Self.running(.refresh)
    expect(phone(.processEnded(.app, .signalled(11))).fates, is: [.lost])
    expect(phone.runs, is: [])
  }

  @Test(.shows("D-6.1", "B-C.2"))
  func `In a debug build a waiting task can be started and a running one expired by hand, in production not`()
  {
    var phone = TestPhone.withTasks { $0.enforcesLimits = false }
    phone.useApp()
    phone.submit(sync, .refresh, after: .seconds(3600))
    expect(phone.phone.refusalToLaunchByHand(processing), is: .notWaiting)
    expect(phone.phone.refusalToExpireByHand(sync), is: .notRunning)
    expect(phone(.task(.launchedByHand(identifier: sync))).fates, is: [.runs(isByHand: true)])
    phone.submit(sync, .refresh)
    expect(phone.phone.refusalToLaunchByHand(sync), is: .alreadyRuns)
    expect(phone(.task(.expiredByHand(identifier: sync))).fates, is: [.expires(.byHand)])
    var production = TestPhone.withTasks()
    production.useApp()
    production.submit(sync, .refresh)
    expect(production.phone.refusalToLaunchByHand(sync), is: .productionBuild)
    expect(production(.task(.launchedByHand(identifier: sync))), is: [])
    expect(production.phone.refusalToExpireByHand(sync), is: .productionBuild)
  }

  @Test func `In a debug build a scheduled task has no time limit`() {
    var phone = Self.running(.refresh, debug: true)
    expect(phone.pass(.seconds(3600)), is: [])
    expect(phone.runs, is: [sync])
  }
}

@Suite struct TaskRequestTests {
  @Test(.shows("D-8.1", "D-1.3"))
  func `A task request whose identifier is not declared is refused, and the reason lists the declared ones`()
  {
    var phone = TestPhone.withTasks()
    phone.useApp()
    let told = phone.submit("com.example.other", .refresh).toldTasks
    let refusal = Refusal.notPermitted(permitted: [sync, processing])
    expect(told, is: [.refused(identifier: "com.example.other", refusal)])
    #expect(refusal.description.contains(sync))
    expect(phone.phone.tasks.pending, is: [])
    expect(phone.submit(sync, .refresh).toldTasks, is: [.accepted(identifier: sync)])
  }

  @Test(.shows("D-1.1")) func `A second task request with the same identifier replaces the waiting one`() {
    var phone = TestPhone.withTasks()
    phone.useApp()
    phone.submit(sync, .refresh)
    expect(phone.submit(sync, .refresh, after: .seconds(7200)).fates, is: [.replaced, .waits(.tooEarly)])
    expect(phone.phone.tasks.pending.map(\.number), is: [2])
  }

  @Test func `At most one request for an app refresh and ten for processing tasks may wait, as on iOS`() {
    let names = (0..<11).map { "p\($0)" }
    var phone = TestPhone.withTasks { $0.tasks.permitted = names + ["r1", "r2"] }
    phone.useApp()
    for name in names.dropLast() {
      expect(phone.submit(name, .processing).toldTasks, is: [.accepted(identifier: name)])
    }
    expect(
      phone.submit("p10", .processing).toldTasks, is: [.refused(identifier: "p10", .tooMany(.processing))])
    phone.submit("r1", .refresh)
    expect(phone.submit("r2", .refresh).toldTasks, is: [.refused(identifier: "r2", .tooMany(.refresh))])
    expect(phone(.task(.cancelled(identifier: "r1"))).fates, is: [.cancelled])
    expect(phone.submit("r2", .refresh).toldTasks, is: [.accepted(identifier: "r2")])
  }

  @Test(.shows("M-2.5"))
  func `With Background App Refresh off task requests are refused, and waiting ones go on waiting`() {
    var phone = TestPhone.withTasks()
    phone.useApp()
    phone.submit(sync, .refresh)
    _ = phone.set(.backgroundRefresh(false))
    expect(phone.submit(sync, .refresh).toldTasks, is: [.refused(identifier: sync, .refreshOff)])
    phone.pass(.seconds(7200))
    expect(phone.hindrance, is: .refreshOff)
    expect(phone.set(.backgroundRefresh(true)).fates, is: [.runs(isByHand: false)])
  }

  @Test func `A task request with a negative delay is refused, one with an enormous delay waits for ever`() {
    var phone = TestPhone.withTasks()
    phone.useApp()
    let told = phone.submit(sync, .refresh, after: .seconds(-1)).toldTasks
    expect(told, is: [.refused(identifier: sync, .badTime)])
    phone.submit(sync, .refresh, after: TimeSpan(nanoseconds: .max))
    phone.pass(.seconds(100_000_000))
    expect(phone.hindrance, is: .tooEarly)
  }

  @Test func `At a power-off waiting task requests are lost, and no task starts`() {
    var phone = TestPhone.withTasks()
    phone.useApp()
    phone.submit(sync, .refresh)
    expect(phone(.downRequested).fates, is: [.lost])
    expect(phone.phone.tasks.pending, is: [])
    expect(phone(.processEnded(.app, .exited(code: 0))).last, is: .powerOff)
  }

  @Test func `After a shift of its clock the phone schedules and expires the same tasks as without it`() {
    var phone = TestPhone.withTasks()
    phone.useApp()
    phone.submit(sync, .refresh)
    phone.submit(processing, .processing, after: .seconds(60))
    _ = phone.set(.charger(true), .locked)
    phone.pass(.seconds(90))
    expect(phone.runs, is: [processing])
    var later = phone
    later.phone.shift(by: .seconds(500))
    later.now = later.now + .seconds(500)
    expect(later.phone.deadline, is: phone.phone.deadline.map { $0 + .seconds(500) })
    let (ours, theirs) = (phone.pass(.seconds(7200)), later.pass(.seconds(7200)))
    expect(ours, is: theirs)
    #expect(ours.fates.contains(.expired(.timeUp)))
  }
}

@Suite struct TaskScheduleTests {
  @Test(.shows("D-1.2")) func `An app refresh does not run before its earliest date`() {
    var phone = TestPhone.withTasks()
    phone.useApp()
    phone.submit(sync, .refresh, after: .seconds(14_400))
    phone.pass(.seconds(14_399))
    expect(phone.hindrance, is: .tooEarly)
    expect(phone.pass(.seconds(1)).fates, is: [.runs(isByHand: false)])
  }

  @Test(.shows("D-1.2")) func `The option --time-scale shortens a scheduled task's wait, not its time limit`()
  {
    var phone = TestPhone.withTasks { $0.tasks.timeScale = 60 }
    phone.useApp()
    phone.submit(sync, .refresh, after: .seconds(14_400))
    phone.pass(.seconds(239))
    expect(phone.runs, is: [])
    phone.pass(.seconds(1))
    expect(phone.runs, is: [sync])
    phone.pass(.seconds(29))
    #expect(phone.phone.tasks.running.first?.expiry == nil)
  }

  @Test(.shows("M-2.2", "M-6.1"))
  func `App refreshes come about every 15 minutes, irregularly, and at the same times for the same seed`() {
    let rhythm = { (seed: UInt64) -> [TimeSpan] in
      var phone = TestPhone.withTasks { $0.tasks.seed = seed }
      phone.useApp()
      var starts: [Instant] = []
      for _ in 0..<50 {
        phone.submit(sync, .refresh)
        while phone.runs.isEmpty { _ = phone.passToDeadline() }
        starts.append(phone.now)
        _ = phone(.task(.completed(identifier: sync, run: phone.phone.tasks.lastNumber, isSuccess: true)))
      }
      return zip(starts.dropFirst(), starts).map { $0 - $1 }
    }
    let gaps = rhythm(7)
    #expect(gaps.allSatisfy { $0 >= .seconds(630) && $0 <= .seconds(1170) })
    expect(Set(gaps).count, is: gaps.count)
    expect(gaps, is: rhythm(7))
    #expect(gaps != rhythm(8))
  }

  @Test(.shows("D-8.2")) func `An app that was never opened gets no scheduled task`() {
    var phone = TestPhone.withTasks()
    phone.useAppWithoutOpeningIt()
    phone.submit(sync, .refresh)
    phone.pass(.seconds(7200))
    expect(phone.hindrance, is: .neverOpened)
    _ = phone(.userOpened)
    expect(phone.hindrance, is: .appInFront)
    expect(phone(.userWentHome).fates, is: [.runs(isByHand: false)])
  }

  @Test(.shows("M-6.6")) func `A swiped-away app gets no scheduled task until it is opened again`() {
    var phone = TestPhone.withTasks()
    phone.useApp()
    phone.submit(sync, .refresh)
    _ = phone(.userQuit)
    _ = phone(.processEnded(.app, .exited(code: 0)))
    phone.pass(.seconds(7200))
    expect(phone.hindrance, is: .swipedAway)
    phone.useApp()
    expect(phone.runs, is: [sync])
  }

  @Test(.shows("D-1.1"))
  func `An app that is not running is started in the background for its scheduled task and kept awake`() {
    var phone = TestPhone.withTasks()
    phone.useApp()
    phone.submit(sync, .refresh)
    _ = phone(.processEnded(.app, .signalled(9)))
    #expect(phone.passToDeadline().contains(.launch(.app, .scheduledTask(sync))))
    #expect(phone.phone.assertions.contains(.scheduledTask(sync)))
    let run = TaskMessage.run(identifier: sync, run: 1, milliseconds: 30_000)
    expect(phone(.processStarted(.app, pid: 9)).toldTasks, is: [run])
  }

  @Test(.shows("M-3.5")) func `A processing task waits for the locked screen and the charger`() {
    var phone = TestPhone.withTasks()
    phone.useApp()
    phone.submit(processing, .processing)
    expect(phone.hindrance, is: .inUse)
    _ = phone.set(.locked)
    expect(phone.hindrance, is: .noCharger)
    expect(phone.set(.charger(true)).fates, is: [.runs(isByHand: false)])
  }

  @Test(.shows("M-3.6")) func `A processing task that does not require external power runs on battery`() {
    var phone = TestPhone.withTasks()
    phone.useApp()
    phone.submit(processing, .processing, power: false)
    expect(phone.set(.locked).fates, is: [.runs(isByHand: false)])
  }

  @Test(.shows("D-8.3"))
  func `At or below the battery limit no scheduled task runs unless the phone is charging`() {
    var phone = TestPhone.withTasks()
    phone.useApp()
    _ = phone.set(.battery(percent: 20))
    phone.submit(sync, .refresh)
    phone.pass(.seconds(7200))
    expect(phone.hindrance, is: .batteryLow(percent: 20))
    var charged = phone
    expect(phone.set(.battery(percent: 21)).fates, is: [.runs(isByHand: false)])
    expect(charged.set(.charger(true)).fates, is: [.runs(isByHand: false)])
  }

  @Test
  func `A processing task that needs the network waits for the network and for the end of Low Power Mode`() {
    var phone = TestPhone.withTasks()
    phone.useApp()
    _ = phone.set(.network(false), .lowPowerMode(true), .charger(true), .locked)
    phone.submit(processing, .processing, network: true)
    expect(phone.hindrance, is: .lowPower)
    _ = phone.set(.lowPowerMode(false))
    expect(phone.hindrance, is: .noNetwork)
    expect(phone.set(.network(true)).fates, is: [.runs(isByHand: false)])
  }

  @Test(.shows("M-3.7")) func `The scheduler may defer a processing task that could run, once`() {
    var phone = TestPhone.withTasks { $0.tasks.deferralPercent = 100 }
    phone.useApp()
    _ = phone.set(.charger(true), .locked)
    expect(phone.submit(processing, .processing).fates.last, is: .waits(.deferred))
    expect(phone.pass(.seconds(1801)).fates.first, is: .runs(isByHand: false))
  }
}

extension TestPhone {
  /// Started in the background without the user opening it.
  mutating func useAppWithoutOpeningIt() { phone.app = .background(BackgroundStay(since: now, isDone: true)) }
}

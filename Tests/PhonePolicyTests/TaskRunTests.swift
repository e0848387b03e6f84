import Ground
import Testing

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

  @Test
  func
    `M-2.3, M-6.1 An app refresh is told to end after 30 s, and a second later no longer keeps the app awake`()
  {
    var phone = Self.running(.refresh)
    phone.pass(.milliseconds(29_999))
    #expect(phone.runs == [sync])
    let end = phone.pass(.milliseconds(1))
    #expect(end.toldTasks == [.willExpire(identifier: sync, run: 1)])
    #expect(end.fates == [.expires(.timeUp)])
    #expect(phone.phone.assertions.contains(.scheduledTask(sync)))
    #expect(phone.pass(.seconds(1)).fates == [.expired(.timeUp)])
    #expect(!phone.phone.assertions.contains(.scheduledTask(sync)))
  }

  @Test
  func `M-3.3, M-6.8 A processing task is told to end after 180 s`() {
    var phone = Self.running(.processing)
    phone.pass(.seconds(179))
    #expect(phone.phone.tasks.running.first?.expiry == nil)
    #expect(phone.pass(.seconds(1)).fates == [.expires(.timeUp)])
  }

  @Test
  func `D-1.4, K-33 A scheduled task's completion within the grace after its time counts, and only once`() {
    var phone = Self.running(.refresh)
    phone.pass(.seconds(30))
    let done = PhoneEvent.task(.completed(identifier: sync, run: 1, isSuccess: false))
    #expect(phone(done).fates == [.completed(isSuccess: false)])
    #expect(!phone.phone.assertions.contains(.scheduledTask(sync)))
    #expect(phone(done) == [.refuseTaskCompletion(identifier: sync, run: 1)])
    #expect(phone.pass(.seconds(10)) == [])
  }

  @Test
  func `D-1.5, D-1.6, K-33 A scheduled task's completion counts once, with or without success`() {
    for isSuccess in [true, false] {
      var phone = Self.running(.refresh)
      let done = PhoneEvent.task(.completed(identifier: sync, run: 1, isSuccess: isSuccess))
      #expect(phone(done).fates == [.completed(isSuccess: isSuccess)])
      #expect(phone(done) == [.refuseTaskCompletion(identifier: sync, run: 1)])
      #expect(phone.runs == [])
    }
  }

  @Test
  func `K-33 A late completion of an earlier run of a scheduled task does not end its newer run`() {
    var phone = Self.running(.refresh)
    phone.pass(.seconds(31))
    phone.submit(sync, .refresh)
    while phone.runs.isEmpty { _ = phone.passToDeadline() }
    let late = PhoneEvent.task(.completed(identifier: sync, run: 1, isSuccess: true))
    #expect(phone(late) == [.refuseTaskCompletion(identifier: sync, run: 1)])
    #expect(phone.phone.assertions.contains(.scheduledTask(sync)))
  }

  @Test
  func
    `K-34 A task request submitted while the task runs waits for its own date, and outlives a crash of the app`()
  {
    var phone = Self.running(.refresh)
    phone.submit(sync, .refresh, after: .seconds(14_400))
    _ = phone(.processEnded(.app, .signalled(6)))
    #expect(phone.runs == [])
    #expect(phone.pass(.seconds(14_400)).contains(.launch(.app, .scheduledTask(sync))))
  }

  @Test
  func `M-3.7 A processing task ends early when the phone is unlocked or loses its charger`() {
    var phone = Self.running(.processing)
    var other = phone
    #expect(phone.set(.unlocked).fates == [.expires(.phoneInUse)])
    #expect(other.set(.charger(false)).fates == [.expires(.chargerGone)])
    var refresh = Self.running(.refresh)
    #expect(refresh.set(.unlocked, .charger(false)).fates == [])
  }

  @Test
  func `If the app dies, its running scheduled task is recorded as lost`() {
    var phone = Self.running(.refresh)
    #expect(phone(.processEnded(.app, .signalled(11))).fates == [.lost])
    #expect(phone.runs == [])
  }

  @Test
  func
    `D-6.1, B-C.2 In a debug build a waiting task can be started and a running one expired by hand, in production not`()
  {
    var phone = TestPhone.withTasks { $0.enforcesLimits = false }
    phone.useApp()
    phone.submit(sync, .refresh, after: .seconds(3600))
    #expect(phone.phone.refusalToLaunchByHand(processing) == .notWaiting)
    #expect(phone.phone.refusalToExpireByHand(sync) == .notRunning)
    #expect(phone(.task(.launchedByHand(identifier: sync))).fates == [.runs(isByHand: true)])
    phone.submit(sync, .refresh)
    #expect(phone.phone.refusalToLaunchByHand(sync) == .alreadyRuns)
    #expect(phone(.task(.expiredByHand(identifier: sync))).fates == [.expires(.byHand)])
    var production = TestPhone.withTasks()
    production.useApp()
    production.submit(sync, .refresh)
    #expect(production.phone.refusalToLaunchByHand(sync) == .productionBuild)
    #expect(production(.task(.launchedByHand(identifier: sync))) == [])
    #expect(production.phone.refusalToExpireByHand(sync) == .productionBuild)
  }

  @Test
  func `In a debug build a scheduled task has no time limit`() {
    var phone = Self.running(.refresh, debug: true)
    #expect(phone.pass(.seconds(3600)) == [])
    #expect(phone.runs == [sync])
  }
}

import Ground
import Testing

@testable import PhonePolicy

@Suite struct TaskScheduleTests {
  @Test
  func `D-1.2 An app refresh does not run before its earliest date`() {
    var phone = TestPhone.withTasks()
    phone.useApp()
    phone.submit(sync, .refresh, after: .seconds(14_400))
    phone.pass(.seconds(14_399))
    #expect(phone.hindrance == .tooEarly)
    #expect(phone.pass(.seconds(1)).fates == [.runs(isByHand: false)])
  }

  @Test
  func `D-1.2 The option --time-scale shortens a scheduled task's wait, not its time limit`() {
    var phone = TestPhone.withTasks { $0.tasks.timeScale = 60 }
    phone.useApp()
    phone.submit(sync, .refresh, after: .seconds(14_400))
    phone.pass(.seconds(239))
    #expect(phone.runs == [])
    phone.pass(.seconds(1))
    #expect(phone.runs == [sync])
    phone.pass(.seconds(29))
    #expect(phone.phone.tasks.running.first?.expiry == nil)
  }

  @Test
  func
    `M-2.2, M-6.1 App refreshes come about every 15 minutes, irregularly, and at the same times for the same seed`()
  {
    let rhythm = { (seed: UInt64) -> [TimeSpan] in
      var phone = TestPhone.withTasks { $0.tasks.seed = seed }
      phone.useApp()
      var starts: [Instant] = []
      for _ in 0..<50 {
        phone.submit(sync, .refresh)
        while phone.runs.isEmpty { _ = phone.passToDeadline() }
        starts.append(phone.now)
        _ = phone(
          .task(.completed(identifier: sync, run: phone.phone.tasks.lastNumber, isSuccess: true)))
      }
      return zip(starts.dropFirst(), starts).map { $0 - $1 }
    }
    let gaps = rhythm(7)
    #expect(gaps.allSatisfy { $0 >= .seconds(630) && $0 <= .seconds(1170) })
    #expect(Set(gaps).count == gaps.count)
    #expect(gaps == rhythm(7))
    #expect(gaps != rhythm(8))
  }

  @Test
  func `D-8.2 An app that was never opened gets no scheduled task`() {
    var phone = TestPhone.withTasks()
    phone.useAppWithoutOpeningIt()
    phone.submit(sync, .refresh)
    phone.pass(.seconds(7200))
    #expect(phone.hindrance == .neverOpened)
    _ = phone(.userOpened)
    #expect(phone.hindrance == .appInFront)
    #expect(phone(.userWentHome).fates == [.runs(isByHand: false)])
  }

  @Test
  func `M-6.6 A swiped-away app gets no scheduled task until it is opened again`() {
    var phone = TestPhone.withTasks()
    phone.useApp()
    phone.submit(sync, .refresh)
    _ = phone(.userQuit)
    _ = phone(.processEnded(.app, .exited(code: 0)))
    phone.pass(.seconds(7200))
    #expect(phone.hindrance == .swipedAway)
    phone.useApp()
    #expect(phone.runs == [sync])
  }

  @Test
  func `D-1.1 An app that is not running is started in the background for its scheduled task and kept awake`()
  {
    var phone = TestPhone.withTasks()
    phone.useApp()
    phone.submit(sync, .refresh)
    _ = phone(.processEnded(.app, .signalled(9)))
    #expect(phone.passToDeadline().contains(.launch(.app, .scheduledTask(sync))))
    #expect(phone.phone.assertions.contains(.scheduledTask(sync)))
    let run = TaskMessage.run(identifier: sync, run: 1, milliseconds: 30_000)
    #expect(phone(.processStarted(.app, pid: 9)).toldTasks == [run])
  }

  @Test
  func `M-3.5 A processing task waits for the locked screen and the charger`() {
    var phone = TestPhone.withTasks()
    phone.useApp()
    phone.submit(processing, .processing)
    #expect(phone.hindrance == .inUse)
    _ = phone.set(.locked)
    #expect(phone.hindrance == .noCharger)
    #expect(phone.set(.charger(true)).fates == [.runs(isByHand: false)])
  }

  @Test
  func `M-3.6 A processing task that does not require external power runs on battery`() {
    var phone = TestPhone.withTasks()
    phone.useApp()
    phone.submit(processing, .processing, power: false)
    #expect(phone.set(.locked).fates == [.runs(isByHand: false)])
  }

  @Test
  func `D-8.3 At or below the battery limit no scheduled task runs unless the phone is charging`() {
    var phone = TestPhone.withTasks()
    phone.useApp()
    _ = phone.set(.battery(percent: 20))
    phone.submit(sync, .refresh)
    phone.pass(.seconds(7200))
    #expect(phone.hindrance == .batteryLow(percent: 20))
    var charged = phone
    #expect(phone.set(.battery(percent: 21)).fates == [.runs(isByHand: false)])
    #expect(charged.set(.charger(true)).fates == [.runs(isByHand: false)])
  }

  @Test
  func `A processing task that needs the network waits for the network and for the end of Low Power Mode`() {
    var phone = TestPhone.withTasks()
    phone.useApp()
    _ = phone.set(.network(false), .lowPowerMode(true), .charger(true), .locked)
    phone.submit(processing, .processing, network: true)
    #expect(phone.hindrance == .lowPower)
    _ = phone.set(.lowPowerMode(false))
    #expect(phone.hindrance == .noNetwork)
    #expect(phone.set(.network(true)).fates == [.runs(isByHand: false)])
  }

  @Test
  func `M-3.7 The scheduler may defer a processing task that could run, once`() {
    var phone = TestPhone.withTasks { $0.tasks.deferralPercent = 100 }
    phone.useApp()
    _ = phone.set(.charger(true), .locked)
    #expect(phone.submit(processing, .processing).fates.last == .waits(.deferred))
    #expect(phone.pass(.seconds(1801)).fates.first == .runs(isByHand: false))
  }
}

extension TestPhone {
  /// Started in the background without the user opening it.
  mutating func useAppWithoutOpeningIt() {
    phone.app = .background(BackgroundStay(since: now, isDone: true))
  }
}

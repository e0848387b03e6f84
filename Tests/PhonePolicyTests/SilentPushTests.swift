import Ground
import Testing

@testable import PhonePolicy

extension PhoneDirective {
  static func wakeFor(_ id: UInt64) -> [PhoneDirective] {
    [.launch(.app, .silentPush(id)), .recordFate(push: id, .delivered)]
  }

  static func tellSilent(_ id: UInt64, _ milliseconds: Int64 = 30_000) -> PhoneDirective {
    .tell(.app, .push(id: id, deadlineMilliseconds: milliseconds))
  }

  static func dropped(_ id: UInt64, _ why: PushDrop) -> [PhoneDirective] {
    [.recordFate(push: id, .dropped(why)), .drop(push: id)]
  }
}

@Suite("Silent pushes") struct SilentPushTests {
  private func phone(_ rules: SilentPushRules = SilentPushRules()) -> TestPhone {
    var configuration = PhoneConfiguration()
    configuration.silentPushes = rules
    return TestPhone(configuration)
  }

  /// A phone whose app was woken for silent push 1, and has it.
  private func woken(_ rules: SilentPushRules = SilentPushRules()) -> TestPhone {
    var phone = phone(rules)
    _ = phone(.pushArrived(TestPhone.silent(1)))
    _ = phone(.processStarted(.app, pid: 8))
    return phone
  }

  @Test(
    "B-1.5.1c An app that does not run is launched in the background, has 30 s, and is kept awake until it is done"
  )
  func launched() {
    var phone = phone()
    #expect(phone(.pushArrived(TestPhone.silent(1))) == PhoneDirective.wakeFor(1))
    #expect(phone(.processStarted(.app, pid: 8)) == [.tell(.app, .enterBackground), .tellSilent(1)])
    #expect(phone.phone.assertions.contains(.silentPush(1)))
    #expect(phone(.silentPushDone(push: 1, .newData)) == [.recordFate(push: 1, .completed(.newData))])
    #expect(phone.phone.assertions.isEmpty)
    #expect(phone.phone.deadline == nil)
  }

  @Test("B-1.5.1g A second completion is refused, and so is one for a push that it never had")
  func completedOnce() {
    var phone = woken()
    _ = phone(.silentPushDone(push: 1, .noData))
    #expect(phone(.silentPushDone(push: 1, .newData)) == [.refuseCompletion(push: 1)])
    #expect(phone(.silentPushDone(push: 9, .failed)) == [.refuseCompletion(push: 9)])
  }

  @Test("K-46 Three an hour; of those that come then the newest waits, and comes when the hour is over")
  func budget() {
    var phone = woken()
    _ = phone(.silentPushDone(push: 1, .noData))
    let first = phone.now
    for id: UInt64 in 2...3 {
      phone.now = phone.now + .seconds(60)
      #expect(
        phone(.pushArrived(TestPhone.silent(id))) == [.tellSilent(id), .recordFate(push: id, .delivered)])
      _ = phone(.silentPushDone(push: id, .noData))
    }
    #expect(
      phone(.pushArrived(TestPhone.silent(4))) == [.recordFate(push: 4, .held(.budgetUsed(perWindow: 3)))])
    #expect(
      phone(.pushArrived(TestPhone.silent(5))) == [
        .recordFate(push: 4, .replaced(by: 5)), .drop(push: 4),
        .recordFate(push: 5, .held(.budgetUsed(perWindow: 3))),
      ])
    #expect(phone.phone.deadline == first + .seconds(3600))
    #expect(phone.passToDeadline() == [.tellSilent(5), .recordFate(push: 5, .delivered)])
  }

  @Test("K-46 The app in front gets every one at once, whatever was spent") func inFront() {
    var phone = phone(SilentPushRules(budget: 0))
    #expect(
      phone(.pushArrived(TestPhone.silent(1))) == [.recordFate(push: 1, .held(.budgetUsed(perWindow: 0)))])
    _ = phone(.userOpened)
    #expect(
      phone(.processStarted(.app, pid: 8)) == [
        .tell(.app, .enterForeground), .tellSilent(1, 0), .recordFate(push: 1, .delivered),
      ])
    for id: UInt64 in 2...9 {
      #expect(
        phone(.pushArrived(TestPhone.silent(id))) == [.tellSilent(id, 0), .recordFate(push: id, .delivered)])
    }
    #expect(phone.phone.deadline == nil)
  }

  @Test("B-1.5.0c None with Background App Refresh off, and the one that waits goes with it")
  func refreshOff() {
    var phone = phone(SilentPushRules(budget: 0))
    _ = phone(.pushArrived(TestPhone.silent(1)))
    let directives = phone(.deviceChanged(.backgroundRefresh(false)))
    #expect(directives.dropFirst() == PhoneDirective.dropped(1, .backgroundRefreshOff)[...])
    #expect(phone(.pushArrived(TestPhone.silent(2))) == PhoneDirective.dropped(2, .backgroundRefreshOff))
  }

  @Test("B-1.5.0c None in Low Power Mode; or, as set, the newest when it is off again") func lowPower() {
    var strict = phone()
    _ = strict(.deviceChanged(.lowPowerMode(true)))
    #expect(strict(.pushArrived(TestPhone.silent(1))) == PhoneDirective.dropped(1, .lowPowerMode))
    var patient = phone(SilentPushRules(lowPower: .hold))
    _ = patient(.deviceChanged(.lowPowerMode(true)))
    #expect(patient(.pushArrived(TestPhone.silent(1))) == [.recordFate(push: 1, .held(.lowPowerMode))])
    _ = patient(.pushArrived(TestPhone.silent(2)))
    #expect(patient.phone.deadline == nil)
    #expect(patient(.deviceChanged(.lowPowerMode(false))).dropFirst() == PhoneDirective.wakeFor(2)[...])
  }

  @Test("B-1.5.0a An app that was swiped away gets none until the user opens it") func swipedAway() {
    var phone = phone()
    phone.openApp()
    _ = phone(.userQuit)
    _ = phone(.processEnded(.app, .signalled(9)))
    #expect(phone(.pushArrived(TestPhone.silent(1))) == PhoneDirective.dropped(1, .swipedAway))
    phone.openApp()
    _ = phone(.userWentHome)
    #expect(phone(.pushArrived(TestPhone.silent(2))) == [.tellSilent(2), .recordFate(push: 2, .delivered)])
  }

  @Test("B-1.5.0a So many of a hundred get lost, the same ones each time") func chance() {
    func lost(_ percent: UInt64, seed: UInt64) -> [UInt64] {
      var phone = phone(SilentPushRules(budget: 1000, dropPercent: percent, seed: seed))
      return (1...200 as ClosedRange<UInt64>).filter {
        phone(.pushArrived(TestPhone.silent($0))) == PhoneDirective.dropped($0, .chance)
      }
    }
    #expect(lost(0, seed: 1) == [])
    #expect(lost(100, seed: 1).count == 200)
    #expect((60...140).contains(lost(50, seed: 1).count))
    #expect(lost(50, seed: 1) == lost(50, seed: 1))
    #expect(lost(50, seed: 1) != lost(50, seed: 2))
  }

  @Test("B-1.5.0a One that is late comes later, within what is set") func delay() {
    var phone = phone(SilentPushRules(delayMax: .seconds(100)))
    let sent = phone.now
    #expect(phone(.pushArrived(TestPhone.silent(1))) == [.recordFate(push: 1, .held(.delayed))])
    #expect(phone.passToDeadline() == PhoneDirective.wakeFor(1))
    #expect(phone.now > sent && phone.now - sent <= .seconds(100))
  }

  @Test(
    "B-1.5.0b An app that does not complete is warned after 30 s, let go after 31, and throttled for an hour")
  func expiry() {
    var phone = woken()
    let start = phone.now
    #expect(phone.passToDeadline() == [.tell(.app, .timeWillExpire(push: 1))])
    #expect(phone.now - start == .seconds(30))
    #expect(phone.phone.assertions.contains(.silentPush(1)))
    #expect(phone.passToDeadline() == [.recordFate(push: 1, .expired)])
    #expect(phone.now - start == .seconds(31))
    #expect(phone.phone.assertions.isEmpty)
    #expect(phone(.silentPushDone(push: 1, .newData)) == [.refuseCompletion(push: 1)])
    // Half of three is one, and that one is spent.
    #expect(
      phone(.pushArrived(TestPhone.silent(2))) == [.recordFate(push: 2, .held(.throttled(perWindow: 1)))])
    #expect(phone.passToDeadline() == [.tellSilent(2), .recordFate(push: 2, .delivered)])
    #expect(phone.now == start + .seconds(3600))
  }

  @Test("B-1.5.0b A crash with a push in hand throttles, an end by others does not")
  func crash() {
    var phone = woken()
    #expect(phone(.processEnded(.app, .signalled(11))).contains(.recordFate(push: 1, .abandoned)))
    #expect(phone.phone.silent.throttledUntil == phone.now + .seconds(3600))
    var other = woken()
    #expect(other(.processEnded(.app, .signalled(9))).contains(.recordFate(push: 1, .abandoned)))
    #expect(other.phone.silent.throttledUntil == nil)
  }

  @Test("Time runs in the background alone: an app that comes to the front may take longer")
  func frontAndBack() {
    var phone = woken()
    _ = phone(.userOpened)
    #expect(phone.phone.deadline == nil)
    phone.now = phone.now + .seconds(500)
    _ = phone(.userWentHome)
    #expect(phone.phone.deadline == phone.now + .seconds(30))
  }

  @Test(
    "A launch that fails costs the push, and one that cannot be told waits no longer than the phone lives")
  func failures() {
    var phone = phone()
    _ = phone(.pushArrived(TestPhone.silent(1)))
    #expect(phone(.launchFailed(.app, sentence: "no")) == PhoneDirective.dropped(1, .launchFailed))
    var down = self.phone(SilentPushRules(budget: 0))
    _ = down(.pushArrived(TestPhone.silent(1)))
    #expect(down(.downRequested) == PhoneDirective.dropped(1, .goingDown) + [.powerOff])
    #expect(down.phone.deadline == nil)
  }

  @Test("In another hour everything is as long from now as it was") func shift() {
    var phone = woken(SilentPushRules(budget: 1))
    _ = phone(.pushArrived(TestPhone.silent(2)))
    let before = phone.phone.deadline
    phone.phone.shift(by: .seconds(7))
    #expect(phone.phone.deadline == before.map { $0 + .seconds(7) })
    phone.now = phone.now + .seconds(7)
    _ = phone.passToDeadline()
    _ = phone.passToDeadline()
    #expect(phone.phone.deadline.map { $0 - phone.now } == .seconds(3569))
  }
}

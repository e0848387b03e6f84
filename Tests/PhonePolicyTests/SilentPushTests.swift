@testable import PhonePolicy

extension PhoneDirective {
  static func wakeFor(_ id: UInt64) -> [PhoneDirective] {
    [.launch(.app, .silentPush(id)), .recordFate(push: id, .delivered)]
  }

  static func tellSilent(_ id: UInt64, _ milliseconds: Int64 = 30_000) -> PhoneDirective {
    .tell(.app, .push(id: id, deadlineMilliseconds: milliseconds, isSilent: true))
  }

  static func dropped(_ id: UInt64, _ why: PushDrop) -> [PhoneDirective] {
    [.recordFate(push: id, .dropped(why))]
  }
}

@Suite("Silent pushes") struct SilentPushTests {
  private func phone(_ rules: SilentPushRules = SilentPushRules()) -> TestPhone {
    var configuration = PhoneConfiguration()
    configuration.silentPushes = rules
    return TestPhone(configuration)
  }

  /// A phone whose app was woken for silent push 1 and has received it.
  private func woken(_ rules: SilentPushRules = SilentPushRules()) -> TestPhone {
    var phone = phone(rules)
    _ = phone(.pushArrived(TestPhone.silent(1)))
    _ = phone(.processStarted(.app, pid: 8))
    return phone
  }

  @Test(.shows("B-1.5.1c"))
  func
    `For a silent push an app that is not running is launched in the background and kept awake until done`()
  {
    var phone = phone()
    expect(phone(.pushArrived(TestPhone.silent(1))), is: PhoneDirective.wakeFor(1))
    expect(phone(.processStarted(.app, pid: 8)), is: [.tellSilent(1)])
    #expect(phone.phone.assertions.contains(.silentPush(1)))
    expect(phone(.silentPushDone(push: 1, .newData)), is: [.recordFate(push: 1, .completed(.newData))])
    #expect(phone.phone.assertions.isEmpty)
    #expect(phone.phone.deadline == nil)
  }

  @Test(.shows("B-1.5.1g"))
  func `A second completion of a silent push is refused, and so is the completion of an unknown push`() {
    var phone = woken()
    _ = phone(.silentPushDone(push: 1, .noData))
    expect(phone(.silentPushDone(push: 1, .newData)), is: [.refuseCompletion(push: 1)])
    expect(phone(.silentPushDone(push: 9, .failed)), is: [.refuseCompletion(push: 9)])
  }

  @Test(.shows("K-46"))
  func `Above the budget only the newest silent push waits, until an hour after the first delivery`() {
    var phone = woken()
    _ = phone(.silentPushDone(push: 1, .noData))
    let first = phone.now
    for id: UInt64 in 2...3 {
      phone.now = phone.now + .seconds(60)
      expect(
        phone(.pushArrived(TestPhone.silent(id))), is: [.tellSilent(id), .recordFate(push: id, .delivered)])
      _ = phone(.silentPushDone(push: id, .noData))
    }
    expect(
      phone(.pushArrived(TestPhone.silent(4))), is: [.recordFate(push: 4, .held(.budgetUsed(perWindow: 3)))])
    expect(
      phone(.pushArrived(TestPhone.silent(5))),
      is: [
        .recordFate(push: 4, .replaced(by: 5)),
        .recordFate(push: 5, .held(.budgetUsed(perWindow: 3))),
      ])
    expect(phone.phone.deadline, is: first + .seconds(3600))
    expect(phone.passToDeadline(), is: [.tellSilent(5), .recordFate(push: 5, .delivered)])
  }

  @Test(.shows("K-46")) func `The app in front gets every silent push at once, outside the budget`() {
    var phone = phone(SilentPushRules { $0.budget = 0 })
    expect(
      phone(.pushArrived(TestPhone.silent(1))), is: [.recordFate(push: 1, .held(.budgetUsed(perWindow: 0)))])
    _ = phone(.userOpened)
    expect(
      phone(.processStarted(.app, pid: 8)),
      is: [
        .tell(.app, .enterForeground), .tellSilent(1, 0), .recordFate(push: 1, .delivered),
      ])
    for id: UInt64 in 2...9 {
      expect(
        phone(.pushArrived(TestPhone.silent(id))),
        is: [.tellSilent(id, 0), .recordFate(push: id, .delivered)])
    }
    #expect(phone.phone.deadline == nil)
  }

  @Test(.shows("B-1.5.0c"))
  func `With Background App Refresh off silent pushes are dropped, also the waiting one`() {
    var phone = phone(SilentPushRules { $0.budget = 0 })
    _ = phone(.pushArrived(TestPhone.silent(1)))
    let directives = phone(.deviceChanged(.backgroundRefresh(false)))
    expect(directives.dropFirst(), is: PhoneDirective.dropped(1, .backgroundRefreshOff)[...])
    expect(phone(.pushArrived(TestPhone.silent(2))), is: PhoneDirective.dropped(2, .backgroundRefreshOff))
  }

  @Test(.shows("B-1.5.0c")) func `Low Power Mode drops silent pushes, or holds the newest if so configured`()
  {
    var strict = phone()
    _ = strict(.deviceChanged(.lowPowerMode(true)))
    expect(strict(.pushArrived(TestPhone.silent(1))), is: PhoneDirective.dropped(1, .lowPowerMode))
    var patient = phone(SilentPushRules { $0.lowPower = .hold })
    _ = patient(.deviceChanged(.lowPowerMode(true)))
    expect(patient(.pushArrived(TestPhone.silent(1))), is: [.recordFate(push: 1, .held(.lowPowerMode))])
    _ = patient(.pushArrived(TestPhone.silent(2)))
    #expect(patient.phone.deadline == nil)
    expect(patient(.deviceChanged(.lowPowerMode(false))).dropFirst(), is: PhoneDirective.wakeFor(2)[...])
  }

  @Test(.shows("B-1.5.0a")) func `A swiped-away app gets no silent push until the user opens it`() {
    var phone = phone()
    phone.openApp()
    _ = phone(.userQuit)
    _ = phone(.processEnded(.app, .signalled(9)))
    expect(phone(.pushArrived(TestPhone.silent(1))), is: PhoneDirective.dropped(1, .swipedAway))
    phone.openApp()
    _ = phone(.userWentHome)
    expect(phone(.pushArrived(TestPhone.silent(2))), is: [.tellSilent(2), .recordFate(push: 2, .delivered)])
  }

  @Test(.shows("B-1.5.0a"))
  func `About the configured percentage of silent pushes is lost, the same pushes for the same seed`() {
    func lost(_ percent: UInt64, seed: UInt64) -> [UInt64] {
      var phone = phone(
        SilentPushRules {
          $0.budget = 1000
          $0.dropPercent = percent
          $0.seed = seed
        })
      return (1...200 as ClosedRange<UInt64>).filter {
        phone(.pushArrived(TestPhone.silent($0))) == PhoneDirective.dropped($0, .chance)
      }
    }
    expect(lost(0, seed: 1), is: [])
    expect(lost(100, seed: 1).count, is: 200)
    #expect((60...140).contains(lost(50, seed: 1).count))
    expect(lost(50, seed: 1), is: lost(50, seed: 1))
    #expect(lost(50, seed: 1) != lost(50, seed: 2))
  }

  @Test(.shows("B-1.5.0a")) func `A delayed silent push comes within the configured maximum delay`() {
    var phone = phone(SilentPushRules { $0.delayMax = .seconds(100) })
    let sent = phone.now
    expect(phone(.pushArrived(TestPhone.silent(1))), is: [.recordFate(push: 1, .held(.delayed))])
    expect(phone.passToDeadline(), is: PhoneDirective.wakeFor(1))
    #expect(phone.now > sent && phone.now - sent <= .seconds(100))
  }

  @Test(.shows("B-1.5.0b"))
  func
    `An app that does not complete a silent push is warned at 30 s, kept awake until 31 s, then throttled`()
  {
    var phone = woken()
    let start = phone.now
    expect(phone.passToDeadline(), is: [.tell(.app, .timeWillExpire(push: 1))])
    expect(phone.now - start, is: .seconds(30))
    #expect(phone.phone.assertions.contains(.silentPush(1)))
    expect(phone.passToDeadline(), is: [.recordFate(push: 1, .expired)])
    expect(phone.now - start, is: .seconds(31))
    #expect(phone.phone.assertions.isEmpty)
    expect(phone(.silentPushDone(push: 1, .newData)), is: [.refuseCompletion(push: 1)])
    // Half of three is one, and push 1 has used that.
    expect(
      phone(.pushArrived(TestPhone.silent(2))), is: [.recordFate(push: 2, .held(.throttled(perWindow: 1)))])
    expect(phone.passToDeadline(), is: [.tellSilent(2), .recordFate(push: 2, .delivered)])
    expect(phone.now, is: start + .seconds(3600))
  }

  @Test(.shows("B-1.5.0b"))
  func `A crash while the app handles a silent push throttles later ones, a kill from outside does not`() {
    var phone = woken()
    #expect(phone(.processEnded(.app, .signalled(11))).contains(.recordFate(push: 1, .abandoned)))
    expect(phone.phone.silent.throttledUntil, is: phone.now + .seconds(3600))
    var other = woken()
    #expect(other(.processEnded(.app, .signalled(9))).contains(.recordFate(push: 1, .abandoned)))
    #expect(other.phone.silent.throttledUntil == nil)
  }

  @Test func `The app's time for a silent push runs in the background only`() {
    var phone = woken()
    _ = phone(.userOpened)
    #expect(phone.phone.deadline == nil)
    phone.now = phone.now + .seconds(500)
    _ = phone(.userWentHome)
    expect(phone.phone.deadline, is: phone.now + .seconds(30))
  }

  @Test func `A failed launch of the app drops the silent push, and a power-off drops a held one`() {
    var phone = phone()
    _ = phone(.pushArrived(TestPhone.silent(1)))
    expect(phone(.launchFailed(.app, sentence: "no")), is: PhoneDirective.dropped(1, .launchFailed))
    var down = self.phone(SilentPushRules { $0.budget = 0 })
    _ = down(.pushArrived(TestPhone.silent(1)))
    expect(down(.downRequested), is: PhoneDirective.dropped(1, .goingDown) + [.powerOff])
    #expect(down.phone.deadline == nil)
  }

  @Test func `Shifting the phone's clock shifts every deadline of silent pushes by the same span`() {
    var phone = woken(SilentPushRules { $0.budget = 1 })
    _ = phone(.pushArrived(TestPhone.silent(2)))
    let before = phone.phone.deadline
    phone.phone.shift(by: .seconds(7))
    expect(phone.phone.deadline, is: before.map { $0 + .seconds(7) })
    phone.now = phone.now + .seconds(7)
    _ = phone.passToDeadline()
    _ = phone.passToDeadline()
    expect(phone.phone.deadline.map { $0 - phone.now }, is: .seconds(3569))
  }
}

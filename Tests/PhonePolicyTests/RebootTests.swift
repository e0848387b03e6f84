@testable import PhonePolicy

@Suite("Reboot") struct RebootTests {
  private let afterReboot: DeviceState = {
    var state = DeviceState()
    state.isLocked = true
    state.hasBeenUnlocked = false
    return state
  }()

  private var boot: [PhoneDirective] { [.boot(losingBeats: false), .saveDevice(afterReboot)] }

  @Test func `A phone without processes reboots at once, and is then locked and not unlocked since boot`() {
    var phone = TestPhone()
    _ = phone(.deviceChanged(.focus(true)))
    _ = phone(.deviceChanged(.otherAudio(true)))
    var state = afterReboot
    state.hasFocus = true
    expect(phone(.rebooted(losingBeats: true)), is: [.boot(losingBeats: true), .saveDevice(state)])
    expect(phone(.userOpened).last, is: .launch(.app, .user))
    #expect(phone.phone.device.hasBeenUnlocked)
  }

  @Test func `A reboot kills app and extension at once, and the boot begins when both are gone`() {
    var phone = TestPhone()
    phone.serve(1)
    _ = phone(.contentDelivered(push: 1, received))
    phone.openApp()
    expect(
      phone(.rebooted(losingBeats: false)), is: [.kill(.app, .reboot), .kill(.extension, .reboot)])
    expect(phone(.rebooted(losingBeats: true)), is: [], "it reboots already")
    expect(phone(.processEnded(.app, .signalled(9))), is: [.recordEnd(.app, .killed(.reboot))])
    expect(phone.phone.refusalOfUserInput, is: .rebooting)
    expect(phone(.userOpened), is: [], "no app opens on a phone that is off")
    expect(phone(.deviceChanged(.unlocked)), is: [])
    expect(
      phone(.processEnded(.extension, .signalled(9))), is: [.recordEnd(.extension, .killed(.reboot))] + boot)
    expect("\(EndReason.killed(.reboot))", is: "killed: reboot")
    expect(phone.phone.app, is: .notRunning)
    #expect(phone.phone.deadline == nil)
  }

  @Test
  func `A reboot kills an app that is starting or was asked to end, and forgets a request to open it again`()
  {
    var phone = TestPhone()
    _ = phone(.userOpened)
    expect(phone(.rebooted(losingBeats: false)), is: [.kill(.app, .reboot)])
    expect(phone(.processStarted(.app, pid: 8)).last, is: .kill(.app, .reboot))
    expect(phone(.processEnded(.app, .signalled(9))).last, is: boot.last)

    _ = phone(.userOpened)
    _ = phone(.processStarted(.app, pid: 8))
    _ = phone(.userWentHome)
    _ = phone(.userQuit)
    _ = phone(.userOpened)
    expect(phone(.rebooted(losingBeats: false)), is: [.kill(.app, .reboot)])
    expect(
      phone(.processEnded(.app, .exited(code: 0))), is: [.recordEnd(.app, .ended)] + boot,
      "the request to open it again is forgotten by the reboot")
  }

  @Test
  func
    `A reboot drops pushes that have no notification yet, and shows content delivered before the extension's end`()
  {
    var phone = TestPhone()
    phone.serve(1)
    _ = phone(.pushArrived(TestPhone.alert(2)))
    expect(
      phone(.rebooted(losingBeats: false)),
      is: PhoneDirective.dropped(2, .reboot) + [.kill(.extension, .reboot)])
    var other = phone
    expect(
      phone(.processEnded(.extension, .signalled(9))),
      is: [.recordEnd(.extension, .killed(.reboot))] + PhoneDirective.dropped(1, .reboot) + boot)
    expect(other(.contentDelivered(push: 1, received)), is: [.showContent(1, received)])
    expect(
      other(.processEnded(.extension, .signalled(9))), is: [.recordEnd(.extension, .killed(.reboot))] + boot)
  }

  @Test func `Of the pushes sent during a reboot the newest is delivered after the boot`() {
    var phone = TestPhone()
    phone.serve(1)
    _ = phone(.contentDelivered(push: 1, received))
    _ = phone(.rebooted(losingBeats: false))
    expect(phone(.pushArrived(TestPhone.alert(2))), is: [.recordFate(push: 2, .held(.phoneIsOff))])
    expect(
      phone(.pushArrived(TestPhone.silent(3))),
      is: [
        .recordFate(push: 2, .replaced(by: 3)), .recordFate(push: 3, .held(.phoneIsOff)),
      ])
    phone.now = phone.now + .seconds(1)
    expect(
      phone(.processEnded(.extension, .signalled(9))),
      is: [.recordEnd(.extension, .killed(.reboot))] + boot + [
        .recordFate(push: 3, .late(milliseconds: 1000)), .launch(.app, .silentPush(3)),
        .recordFate(push: 3, .delivered),
      ])
  }

  @Test
  func `A reboot drops the waiting silent push, and resets the silent-push budget and the swiped-away state`()
  {
    var configuration = PhoneConfiguration()
    configuration.silentPushes.budget = 1
    var phone = TestPhone(configuration)
    _ = phone(.pushArrived(TestPhone.silent(1)))
    _ = phone(.processStarted(.app, pid: 8))
    _ = phone(.silentPushDone(push: 1, .newData))
    _ = phone(.pushArrived(TestPhone.silent(2)))
    expect(
      phone(.rebooted(losingBeats: false)), is: PhoneDirective.dropped(2, .reboot) + [.kill(.app, .reboot)])
    _ = phone(.processEnded(.app, .signalled(9)))
    expect(phone(.pushArrived(TestPhone.silent(3))).first, is: .launch(.app, .silentPush(3)))
    _ = phone(.processStarted(.app, pid: 8))
    _ = phone(.userQuit)
    expect(phone(.rebooted(losingBeats: false)), is: [.kill(.app, .reboot)])
    #expect(phone(.processEnded(.app, .signalled(9))).contains(.recordFate(push: 3, .abandoned)))
    expect(phone(.pushArrived(TestPhone.silent(4))).first, is: .launch(.app, .silentPush(4)))
  }

  @Test func `A reboot with --unlock unlocks the phone before the push that came meanwhile is served`() {
    for unlocking in [true, false] {
      var phone = TestPhone()
      phone.serve(1)
      _ = phone(.rebooted(losingBeats: false, unlocking: unlocking))
      expect(phone(.pushArrived(TestPhone.alert(2))).count, is: 1)
      var state = DeviceState().afterReboot
      if unlocking { state.apply(.unlocked) }
      let done = phone(.processEnded(.extension, .signalled(9)))
      expect(
        done.suffix(4),
        is: [
          .boot(losingBeats: false), .saveDevice(state), .recordFate(push: 2, .late(milliseconds: 0)),
          .launch(.extension, .push(2)),
        ])
    }
  }

  @Test
  func
    `A reboot refuses a request that the app has not answered, and a power-off requested meanwhile follows the boot`()
  {
    var phone = TestPhone()
    phone.openApp()
    _ = phone(.appAsked(request: 5, inFront: false))
    _ = phone(.rebooted(losingBeats: false))
    expect(phone(.downRequested), is: [])
    expect(
      phone(.processEnded(.app, .signalled(9))),
      is: [.recordEnd(.app, .killed(.reboot)), .refuseAsk(request: 5, .appEnded)] + boot + [.powerOff])
    expect(phone(.rebooted(losingBeats: false)), is: [])
  }

  @Test
  func
    `A waiting scheduled task outlives a reboot and runs once the app has been opened; a running task is lost`()
  {
    var phone = TestPhone.withTasks()
    phone.useApp()
    phone.submit(sync, .refresh)
    phone.submit(processing, .processing, power: false)
    while phone.runs.isEmpty { _ = phone.passToDeadline() }
    expect(phone.runs, is: [sync])
    let ended = phone(.rebooted(losingBeats: false)) + phone(.processEnded(.app, .signalled(9)))
    expect(ended.fates, is: [.lost, .waits(.neverOpened)])
    expect(phone.phone.tasks.pending.map(\.request.identifier), is: [processing])
    phone.pass(.seconds(1))
    _ = phone(.deviceChanged(.unlocked))
    _ = phone(.deviceChanged(.locked))
    expect(phone.hindrance, is: .neverOpened)
    phone.useApp()
    _ = phone(.deviceChanged(.locked))
    expect(phone.runs, is: [processing])
  }

  @Test func `A scheduled task that becomes due during a reboot sets no deadline in the past`() {
    var phone = TestPhone.withTasks()
    phone.useApp()
    phone.submit(sync, .refresh)
    phone.serve(1)
    _ = phone(.rebooted(losingBeats: false))
    while let deadline = phone.phone.deadline, deadline <= phone.now + .seconds(7200) {
      _ = phone.passToDeadline()
      let next = phone.phone.deadline
      #expect(next.map { $0 > phone.now } ?? true)
      if next.map({ $0 <= phone.now }) == true { return }
    }
    #expect(phone.phone.rebooting != nil)
    expect(phone.phone.tasks.pending.first?.isDue, is: true)
    _ = phone(.processEnded(.extension, .signalled(9)))
    expect(phone(.processEnded(.app, .signalled(9))).fates, is: [.waits(.neverOpened)])
  }

  @Test func `During a reboot no scheduled task is launched by hand, and no notification can be tapped`() {
    var configuration = PhoneConfiguration { $0.enforcesLimits = false }
    configuration.tasks.deferralPercent = 0
    var phone = TestPhone(configuration)
    phone.openApp()
    phone.submit(sync, .refresh, after: .seconds(60))
    _ = phone(.userQuit)
    _ = phone(.processEnded(.app, .signalled(9)))
    phone.serve(1)
    #expect(phone.phone.refusalToLaunchByHand(sync) == nil)
    _ = phone(.rebooted(losingBeats: false))
    expect(phone.phone.refusalToLaunchByHand(sync), is: .appEnding)
    expect(phone(.task(.launchedByHand(identifier: sync))), is: [])
    expect(phone.phone.refusal(of: .tap, category: nil), is: .rebooting)
    expect(phone(.notificationTouched(id: 1, category: nil, .tap)), is: [])
  }
}

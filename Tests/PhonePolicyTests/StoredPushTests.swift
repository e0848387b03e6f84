@testable import PhonePolicy

@Suite("Pushes for a phone that APNs cannot reach") struct StoredPushTests {
  private func offTheNetwork() -> TestPhone {
    var phone = TestPhone()
    _ = phone(.deviceChanged(.network(false)))
    return phone
  }

  private func held(_ id: UInt64) -> PhoneDirective { .recordFate(push: id, .held(.noNetwork)) }

  private func replaced(_ id: UInt64, by newer: UInt64) -> [PhoneDirective] {
    [.recordFate(push: id, .replaced(by: newer))]
  }

  private func late(_ id: UInt64, _ milliseconds: Int64 = 0) -> PhoneDirective {
    .recordFate(push: id, .late(milliseconds: milliseconds))
  }

  @Test
  func `Of three pushes without a network only the newest starts the extension, once the network is back`() {
    var phone = offTheNetwork()
    expect(phone(.pushArrived(TestPhone.alert(1))), is: [held(1)])
    expect(phone(.pushArrived(TestPhone.alert(2))), is: replaced(1, by: 2) + [held(2)])
    expect(phone(.pushArrived(TestPhone.alert(3))), is: replaced(2, by: 3) + [held(3)])
    expect(phone.phone.service, is: .notRunning)
    phone.now = phone.now + .milliseconds(62_400)
    let back = phone(.deviceChanged(.network(true)))
    expect(back, is: [.saveDevice(DeviceState()), late(3, 62_400), .launch(.extension, .push(3))])
    #expect(phone.phone.stored == nil)
    expect("\(PushFate.late(milliseconds: 62_400))", is: "delivered 62 s late: the phone was off the network")
    expect(phone(.deviceChanged(.network(false))).count, is: 1, "it is delivered once")
    expect(phone(.deviceChanged(.network(true))).count, is: 1)
  }

  @Test func `Visible and silent pushes, and those with a badge alone, share the one place`() {
    var phone = offTheNetwork()
    let badge = PhonePush(id: 3, alert: nil, hasMutableContent: false, badgeAndSound: BadgeAndSound(badge: 5))
    expect(phone(.pushArrived(TestPhone.alert(1))), is: [held(1)])
    expect(phone(.pushArrived(TestPhone.silent(2))), is: replaced(1, by: 2) + [held(2)])
    expect(phone(.pushArrived(badge)), is: replaced(2, by: 3) + [held(3)])
    let back = phone(.deviceChanged(.network(true)))
    #expect(back.contains(.setBadge(5)) && phone.phone.app == .notRunning)
  }

  @Test func `An alert with content-available is one push: both its parts are kept, and replaced together`() {
    var phone = offTheNetwork()
    let waking = PhonePush(id: 2, alert: nil, hasMutableContent: false, of: 1)
    _ = phone(.pushArrived(TestPhone.alert(1)))
    expect(phone(.pushArrived(waking)), is: [held(2)])
    var other = phone
    expect(other(.pushArrived(TestPhone.alert(3))), is: replaced(1, by: 3) + replaced(2, by: 3) + [held(3)])
    let back = phone(.deviceChanged(.network(true)))
    expect(
      back.dropFirst(),
      is: [
        late(1), .launch(.extension, .push(1)), late(2), .launch(.app, .silentPush(2)),
        .recordFate(push: 2, .delivered),
      ])
  }

  @Test func `The app in front gets no push without a network, and the kept one when it is back`() {
    var phone = offTheNetwork()
    phone.openApp()
    expect(phone(.pushArrived(TestPhone.alert(1))), is: [held(1)])
    let back = phone(.deviceChanged(.network(true)))
    expect(
      back.suffix(3),
      is: [
        late(1), .tell(.app, .push(id: 1, deadlineMilliseconds: 0)), .recordFate(push: 1, .givenToApp),
      ])
  }

  @Test func `A push kept over a reboot waits for the network too`() {
    var phone = offTheNetwork()
    _ = phone(.pushArrived(TestPhone.alert(1)))
    _ = phone(.rebooted(losingBeats: false))
    #expect(phone.phone.stored != nil)
    let back = phone(.deviceChanged(.network(true)))
    expect(back.suffix(2), is: [late(1), .launch(.extension, .push(1))])
  }

  @Test func `A phone that powers off without a network drops the kept push, and later ones`() {
    var phone = offTheNetwork()
    phone.serve(9)
    _ = phone(.pushArrived(TestPhone.alert(1)))
    #expect(phone(.downRequested).starts(with: PhoneDirective.dropped(1, .goingDown)))
    expect(phone(.pushArrived(TestPhone.alert(2))), is: PhoneDirective.dropped(2, .goingDown))
  }

  @Test func `The kept push is as late as the phone was off, also if its clock is set anew meanwhile`() {
    var phone = offTheNetwork()
    _ = phone(.pushArrived(TestPhone.alert(1)))
    phone.now = phone.now + .seconds(2)
    phone.phone.shift(by: TimeSpan(nanoseconds: -phone.now.nanoseconds))
    phone.now = Instant(nanoseconds: 1_000_000_000)
    #expect(phone(.deviceChanged(.network(true))).contains(late(1, 3000)))
  }
}

@testable import PhonePolicy

/// `performExpiringActivity`, and the time that a process has to start.
@Suite("Expiring activities, and the start of an extension") struct ActivityTests {
  private func delivering() -> TestPhone {
    var phone = TestPhone(PhoneConfiguration(), limitsBackground: true)
    phone.serve(1)
    return phone
  }

  @Test func `An extension with an activity is suspended when the activity ends, not when its content comes`()
  {
    var phone = delivering()
    expect(phone(.activityBegan(.extension, id: 5)), is: [])
    expect(phone(.contentDelivered(push: 1, received)), is: [.showContent(1, received)])
    expect(phone(.activityEnded(.extension, id: 5)), is: [.suspend(.extension)])
  }

  @Test func `An activity expires after 10 s; 1 s later the process is suspended without its consent`() {
    var phone = delivering()
    let began = phone.now
    _ = phone(.activityBegan(.extension, id: 5))
    _ = phone(.contentDelivered(push: 1, received))
    expect(phone.passToDeadline(), is: [.tell(.extension, .activityExpired(id: 5))])
    expect(phone.now, is: began + .seconds(10))
    expect(phone.passToDeadline(), is: [.suspend(.extension)])
    expect(phone.now, is: began + .seconds(11))
  }

  @Test func `An app in the background with an activity is not suspended before the activity ends`() {
    var phone = TestPhone(PhoneConfiguration(), limitsBackground: true)
    phone.openApp()
    _ = phone(.activityBegan(.app, id: 1))
    _ = phone(.userWentHome)
    _ = phone(.backgroundDone())
    phone.now = phone.now + .seconds(6)
    expect(phone(.deadlineReached), is: [])
    expect(phone(.activityEnded(.app, id: 1)), is: [.suspend(.app)])
  }

  @Test func `A 65th activity, and one of a suspended process, expire as they begin`() {
    var phone = delivering()
    for id in UInt64(1)...64 { expect(phone(.activityBegan(.extension, id: id)), is: []) }
    expect(phone(.activityBegan(.extension, id: 65)), is: [.tell(.extension, .activityExpired(id: 65))])
    for id in UInt64(1)...64 { _ = phone(.activityEnded(.extension, id: id)) }
    _ = phone(.contentDelivered(push: 1, received))
    expect(phone(.activityBegan(.extension, id: 66)), is: [.tell(.extension, .activityExpired(id: 66))])
  }

  @Test func `An activity does not keep an extension alive that iOS kills after its content`() {
    var phone = TestPhone(PhoneConfiguration { $0.afterContent = .kill }, limitsBackground: true)
    phone.serve(1)
    _ = phone(.activityBegan(.extension, id: 5))
    expect(phone(.contentDelivered(push: 1, received)).last, is: .kill(.extension, .afterContent))
  }

  @Test
  func `An extension that says no hello within 10 s is killed without a warning, and its push shown as sent`()
  {
    var phone = TestPhone(PhoneConfiguration(), limitsBackground: true)
    phone.saysHello = false
    phone.serve(1)
    let started = phone.now
    let reason = EndReason.startTime(limitMilliseconds: 10_000)
    expect(phone.passToDeadline(), is: [.kill(.extension, reason)])
    expect(phone.now, is: started + .seconds(10))
    expect(
      phone(.processEnded(.extension, .signalled(9))),
      is: [
        .recordEnd(.extension, .killed(reason)), .showOriginal(1),
      ])
  }

  @Test func `A process suspended with a lock is spared if the phone is set so`() {
    var configuration = PhoneConfiguration()
    configuration.sparesLockHolders = true
    var phone = TestPhone(configuration, limitsBackground: true)
    phone.serve(1)
    _ = phone(.contentDelivered(push: 1, received))
    expect(phone(.foundHoldingLock(.extension, file: "locks/extension.lock")), is: [])
    expect(phone(.pushArrived(TestPhone.alert(2))), is: [.resume(.extension), .servePush(2)])
  }
}

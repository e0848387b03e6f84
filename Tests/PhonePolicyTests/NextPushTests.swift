@testable import PhonePolicy

@Suite("An extension's second push") struct NextPushTests {
  /// An extension that has served push 1 and is serving push 2.
  private func atTheSecond() -> TestPhone {
    var phone = TestPhone()
    phone.serve(1)
    _ = phone(.contentDelivered(push: 1, received))
    _ = phone(.serviceFinished(push: 1, reason: "done"))
    expect(phone(.pushArrived(TestPhone.alert(2))), is: [.servePush(2)])
    return phone
  }

  @Test
  func
    `An extension's second push, once its content is delivered, is not served again when the process ends`()
  {
    var phone = atTheSecond()
    expect(phone(.contentDelivered(push: 2, received)), is: [.showContent(2, received)])
    expect(phone(.processEnded(.extension, .exited(code: 0))), is: [.recordEnd(.extension, .ended)])
    expect(phone.phone.service, is: .notRunning)
    expect(phone(.pushArrived(TestPhone.alert(3))), is: [.launch(.extension, .push(3))])
  }

  @Test
  func `An extension's second push, cut off by a crash, is shown as it was sent, and not served again`() {
    var phone = atTheSecond()
    expect(
      phone(.processEnded(.extension, .signalled(11))),
      is: [
        .recordEnd(.extension, .crashed(.signalled(11))), .showOriginal(2),
      ])
    expect(phone.phone.service, is: .notRunning)
  }

  @Test func `A push's 30 s begin when the extension gets the push, however long its process was idle`() {
    var phone = TestPhone()
    phone.serve(1)
    _ = phone(.contentDelivered(push: 1, received))
    _ = phone(.serviceFinished(push: 1, reason: "done"))
    phone.now = phone.now + .seconds(20)
    let start = phone.now
    expect(phone(.pushArrived(TestPhone.alert(2))), is: [.servePush(2)])
    expect(phone.passToDeadline(), is: [.tell(.extension, .timeWillExpire(push: 2))])
    expect(phone.now, is: start + .milliseconds(29_500))
    expect(phone.passToDeadline(), is: [.kill(.extension, .time(limitMilliseconds: 30_000))])
    expect(phone.now, is: start + .seconds(30))
  }
}

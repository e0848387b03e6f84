import Ground
import Testing

@testable import PhonePolicy

/// iOS may suspend or kill an extension as soon as it has the content.
@Suite("After an extension's content") struct AfterContentTests {
  private func phone(_ afterContent: AfterContent, reuses: Bool = true) -> TestPhone {
    var configuration = PhoneConfiguration(afterContent: afterContent)
    configuration.reusesExtension = reuses
    return TestPhone(configuration, limitsBackground: true)
  }

  @Test func `The extension is suspended when it has delivered, and the next push resumes its process`() {
    var phone = phone(.suspend)
    phone.serve(1)
    #expect(
      phone(.contentDelivered(push: 1, received)) == [.showContent(1, received), .suspend(.extension)])
    #expect(phone.phone.service == .suspended(since: phone.now))
    #expect(phone(.serviceFinished(push: 1, reason: "idle")) == [], "a message sent before the suspension")
    #expect(phone(.pushArrived(TestPhone.alert(2))) == [.resume(.extension), .servePush(2)])
    #expect(
      phone(.contentDelivered(push: 2, received)) == [.showContent(2, received), .suspend(.extension)])
  }

  @Test func `Content that iOS refuses is followed by the suspension too`() {
    var phone = phone(.suspend)
    phone.serve(1)
    let critical = NotificationText(title: "Received", body: "", level: .critical)
    let answer = phone(.contentDelivered(push: 1, critical))
    #expect(answer.contains(.showOriginal(1)) && answer.last == .suspend(.extension))
  }

  @Test func `With another push waiting the extension serves it, and is suspended after the last`() {
    var phone = phone(.suspend)
    phone.serve(1)
    _ = phone(.pushArrived(TestPhone.alert(2)))
    #expect(phone(.contentDelivered(push: 1, received)) == [.showContent(1, received), .servePush(2)])
    #expect(
      phone(.contentDelivered(push: 2, received)) == [.showContent(2, received), .suspend(.extension)])
  }

  @Test
  func `An extension suspended with a lock in the container is killed, and the next push starts another`() {
    var phone = phone(.suspend)
    phone.serve(1)
    _ = phone(.contentDelivered(push: 1, received))
    let reason = KillReason.lockHeldWhileSuspended("locks/extension.lock")
    #expect(
      phone(.foundHoldingLock(.extension, file: "locks/extension.lock")) == [.kill(.extension, reason)])
    #expect(phone(.pushArrived(TestPhone.alert(2))) == [])
    #expect(
      phone(.processEnded(.extension, .signalled(9))) == [
        .recordEnd(.extension, .killed(reason)), .launch(.extension, .push(2)),
      ])
  }

  @Test func `A lock found after the next push has resumed the extension kills nothing`() {
    var phone = phone(.suspend)
    phone.serve(1)
    _ = phone(.contentDelivered(push: 1, received))
    _ = phone(.pushArrived(TestPhone.alert(2)))
    #expect(phone(.foundHoldingLock(.extension, file: "locks/extension.lock")) == [])
  }

  @Test func `Without reuse the next push ends the suspended process, and another process serves it`() {
    var phone = phone(.suspend, reuses: false)
    phone.serve(1)
    _ = phone(.contentDelivered(push: 1, received))
    #expect(phone(.pushArrived(TestPhone.alert(2))) == [.kill(.extension, .reclaimed)])
    #expect(
      phone(.processEnded(.extension, .signalled(9))) == [
        .recordEnd(.extension, .killed(.reclaimed)), .launch(.extension, .push(2)),
      ])
    #expect(phone(.processStarted(.extension, pid: 10)) == [.servePush(2)])
  }

  @Test func `A suspended extension is ended after a minute without a push, and at a power-off`() {
    var idle = phone(.suspend)
    idle.serve(1)
    _ = idle(.contentDelivered(push: 1, received))
    #expect(idle.phone.deadline == idle.now + .seconds(60))
    #expect(idle.passToDeadline() == [.kill(.extension, .reclaimed)])
    var off = phone(.suspend)
    off.serve(1)
    _ = off(.contentDelivered(push: 1, received))
    #expect(off(.downRequested) == [.kill(.extension, .reclaimed)])
    #expect(off(.processEnded(.extension, .signalled(9))).last == .powerOff)
  }

  @Test func `With kill each push has its content and its own process`() {
    var phone = phone(.kill)
    phone.serve(1)
    _ = phone(.pushArrived(TestPhone.alert(2)))
    #expect(
      phone(.contentDelivered(push: 1, received)) == [
        .showContent(1, received), .kill(.extension, .afterContent),
      ])
    #expect(
      phone(.processEnded(.extension, .signalled(9))) == [
        .recordEnd(.extension, .killed(.afterContent)), .launch(.extension, .push(2)),
      ])
  }

  @Test(arguments: [PhoneConfiguration(afterContent: .run), PhoneConfiguration(enforcesLimits: false)])
  func `With run or in a debug build the extension runs until it has finished the push`(
    configuration: PhoneConfiguration
  ) {
    var phone = TestPhone(configuration, limitsBackground: true)
    phone.serve(1)
    #expect(phone(.contentDelivered(push: 1, received)) == [.showContent(1, received)])
    #expect(phone.phone.service.word == "finishing")
    #expect(phone(.serviceFinished(push: 1, reason: "idle")) == [])
    #expect(phone.phone.service.word == "idle")
  }
}

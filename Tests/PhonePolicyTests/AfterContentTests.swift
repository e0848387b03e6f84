@testable import PhonePolicy

/// iOS may suspend or kill an extension as soon as it has the content.
@Suite("After an extension's content") struct AfterContentTests {
  private func phone(_ afterContent: AfterContent, reuses: Bool = true) -> TestPhone {
    var configuration = PhoneConfiguration { $0.afterContent = afterContent }
    configuration.reusesExtension = reuses
    return TestPhone(configuration, limitsBackground: true)
  }

  @Test func `The extension is suspended when it has delivered, and the next push resumes its process`() {
    var phone = phone(.suspend)
    phone.serve(1)
    expect(
      phone(.contentDelivered(push: 1, received)), is: [.showContent(1, received), .suspend(.extension)])
    expect(phone.phone.service, is: .suspended(since: phone.now))
    expect(phone(.serviceFinished(push: 1, reason: "idle")), is: [], "a message sent before the suspension")
    expect(phone(.pushArrived(TestPhone.alert(2))), is: [.resume(.extension), .servePush(2)])
    expect(
      phone(.contentDelivered(push: 2, received)), is: [.showContent(2, received), .suspend(.extension)])
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
    expect(phone(.contentDelivered(push: 1, received)), is: [.showContent(1, received), .servePush(2)])
    expect(
      phone(.contentDelivered(push: 2, received)), is: [.showContent(2, received), .suspend(.extension)])
  }

  @Test
  func `An extension suspended with a lock in the container is killed, and the next push starts another`() {
    var phone = phone(.suspend)
    phone.serve(1)
    _ = phone(.contentDelivered(push: 1, received))
    let reason = EndReason.lockHeldWhileSuspended("locks/extension.lock")
    expect(
      phone(.foundHoldingLock(.extension, file: "locks/extension.lock")), is: [.kill(.extension, reason)])
    expect(phone(.pushArrived(TestPhone.alert(2))), is: [])
    expect(
      phone(.processEnded(.extension, .signalled(9))),
      is: [
        .recordEnd(.extension, .killed(reason)), .launch(.extension, .push(2)),
      ])
  }

  @Test func `A lock found after the next push has resumed the extension kills nothing`() {
    var phone = phone(.suspend)
    phone.serve(1)
    _ = phone(.contentDelivered(push: 1, received))
    _ = phone(.pushArrived(TestPhone.alert(2)))
    expect(phone(.foundHoldingLock(.extension, file: "locks/extension.lock")), is: [])
  }

  @Test func `Without reuse the next push ends the suspended process, and another process serves it`() {
    var phone = phone(.suspend, reuses: false)
    phone.serve(1)
    _ = phone(.contentDelivered(push: 1, received))
    expect(phone(.pushArrived(TestPhone.alert(2))), is: [.kill(.extension, .reclaimed)])
    expect(
      phone(.processEnded(.extension, .signalled(9))),
      is: [
        .recordEnd(.extension, .killed(.reclaimed)), .launch(.extension, .push(2)),
      ])
    expect(phone(.processStarted(.extension, pid: 10)), is: [.servePush(2)])
  }

  @Test func `A suspended extension is ended after a minute without a push, and at a power-off`() {
    var idle = phone(.suspend)
    idle.serve(1)
    _ = idle(.contentDelivered(push: 1, received))
    expect(idle.phone.deadline, is: idle.now + .seconds(60))
    expect(idle.passToDeadline(), is: [.kill(.extension, .reclaimed)])
    var off = phone(.suspend)
    off.serve(1)
    _ = off(.contentDelivered(push: 1, received))
    expect(off(.downRequested), is: [.kill(.extension, .reclaimed)])
    expect(off(.processEnded(.extension, .signalled(9))).last, is: .powerOff)
  }

  @Test func `With kill each push has its content and its own process`() {
    var phone = phone(.kill)
    phone.serve(1)
    _ = phone(.pushArrived(TestPhone.alert(2)))
    expect(
      phone(.contentDelivered(push: 1, received)),
      is: [
        .showContent(1, received), .kill(.extension, .afterContent),
      ])
    expect(
      phone(.processEnded(.extension, .signalled(9))),
      is: [
        .recordEnd(.extension, .killed(.afterContent)), .launch(.extension, .push(2)),
      ])
  }

  @Test(arguments: [
    PhoneConfiguration { $0.afterContent = .run }, PhoneConfiguration { $0.enforcesLimits = false },
  ])
  func `With run or in a debug build the extension runs until it has finished the push`(
    configuration: PhoneConfiguration
  ) {
    var phone = TestPhone(configuration, limitsBackground: true)
    phone.serve(1)
    expect(phone(.contentDelivered(push: 1, received)), is: [.showContent(1, received)])
    expect(phone.phone.service.word, is: "finishing")
    expect(phone(.serviceFinished(push: 1, reason: "idle")), is: [])
    expect(phone.phone.service.word, is: "idle")
  }

  // MARK: `finished` before the suspension

  @Test func `An extension that finishes during an activity is suspended when the activity ends`() {
    var phone = phone(.suspend)
    phone.serve(1)
    _ = phone(.activityBegan(.extension, id: 5))
    expect(phone(.contentDelivered(push: 1, received)), is: [.showContent(1, received)])
    expect(phone(.serviceFinished(push: 1, reason: "done")), is: [])
    expect(phone(.activityEnded(.extension, id: 5)), is: [.suspend(.extension)])
    expect(phone.phone.service, is: .suspended(since: phone.now))
  }

  @Test func `An extension that finishes without content is suspended, or killed with kill`() {
    var suspending = phone(.suspend)
    suspending.serve(1)
    expect(
      suspending(.serviceFinished(push: 1, reason: "nothing")), is: [.showOriginal(1), .suspend(.extension)])
    var killing = phone(.kill)
    killing.serve(1)
    expect(
      killing(.serviceFinished(push: 1, reason: "nothing")),
      is: [.showOriginal(1), .kill(.extension, .afterContent)])
  }

  @Test func `A push that comes during the activity of a finished extension is served by its process`() {
    var phone = phone(.suspend)
    phone.serve(1)
    _ = phone(.activityBegan(.extension, id: 5))
    _ = phone(.contentDelivered(push: 1, received))
    _ = phone(.serviceFinished(push: 1, reason: "done"))
    expect(phone(.pushArrived(TestPhone.alert(2))), is: [.servePush(2)])
    expect(phone(.activityEnded(.extension, id: 5)), is: [])
    expect(
      phone(.contentDelivered(push: 2, received)), is: [.showContent(2, received), .suspend(.extension)])
  }

  @Test func `With kill a push that waits is not served by a process that has finished without content`() {
    var phone = phone(.kill)
    phone.serve(1)
    _ = phone(.pushArrived(TestPhone.alert(2)))
    expect(
      phone(.serviceFinished(push: 1, reason: "nothing")),
      is: [.showOriginal(1), .kill(.extension, .afterContent)])
    expect(phone(.processEnded(.extension, .signalled(9))).last, is: .launch(.extension, .push(2)))
  }

  @Test func `An extension that has started and has no push yet is not suspended`() {
    var phone = phone(.suspend)
    _ = phone(.pushArrived(TestPhone.alert(1)))
    expect(phone(.processStarted(.extension, pid: 9)), is: [.servePush(1)])
    expect(phone.phone.service.word, is: "serving")
  }

  // MARK: A process for each push

  @Test(arguments: [AfterContent.suspend, .run])
  func `Without reuse two pushes at once are served by two processes`(afterContent: AfterContent) {
    var phone = phone(afterContent, reuses: false)
    phone.serve(1)
    _ = phone(.pushArrived(TestPhone.alert(2)))
    var answer = phone(.contentDelivered(push: 1, received))
    if afterContent == .run { answer += phone(.serviceFinished(push: 1, reason: "done")) }
    expect(answer, is: [.showContent(1, received), .kill(.extension, .reclaimed)])
    expect(
      phone(.processEnded(.extension, .signalled(9))),
      is: [
        .recordEnd(.extension, .killed(.reclaimed)), .launch(.extension, .push(2)),
      ])
    expect(phone(.processStarted(.extension, pid: 10)), is: [.servePush(2)])
  }

  @Test func `Without reuse an idle process is ended by the next push too`() {
    var phone = phone(.run, reuses: false)
    phone.serve(1)
    _ = phone(.contentDelivered(push: 1, received))
    _ = phone(.serviceFinished(push: 1, reason: "done"))
    expect(phone(.pushArrived(TestPhone.alert(2))), is: [.kill(.extension, .reclaimed)])
  }

  // MARK: Killed from outside

  @Test(arguments: [AfterContent.suspend, .run])
  func `A push that finds the resting extension dying waits for its end, and another process serves it`(
    afterContent: AfterContent
  ) {
    var phone = phone(afterContent)
    phone.serve(1)
    _ = phone(.contentDelivered(push: 1, received))
    _ = phone(.serviceFinished(push: 1, reason: "done"))
    expect(phone(.foundEnding(.extension)), is: [])
    expect(phone(.pushArrived(TestPhone.alert(2))), is: [])
    expect(
      phone(.processEnded(.extension, .signalled(9))),
      is: [
        .recordEnd(.extension, .killedFromOutside(signal: 9)), .launch(.extension, .push(2)),
      ])
  }

  @Test func `An extension that is found dying with a push may still have delivered it`() {
    var phone = phone(.suspend)
    phone.serve(1)
    expect(phone(.foundEnding(.extension)), is: [])
    expect(phone(.pushArrived(TestPhone.alert(2))), is: [])
    expect(phone(.contentDelivered(push: 1, received)).first, is: .showContent(1, received))
    expect(phone(.processEnded(.extension, .signalled(9))).last, is: .launch(.extension, .push(2)))
  }

  @Test func `An extension found dying that the kernel killed for its memory has that as its reason`() {
    var phone = phone(.suspend)
    phone.serve(1)
    _ = phone(.foundEnding(.extension))
    _ = phone(.memoryLimitEnforced(.extension, usedBytes: 25_165_824))
    let reason = EndReason.memory(footprintBytes: 25_165_824, limitBytes: 25_165_824)
    expect(
      phone(.processEnded(.extension, .signalled(9))),
      is: [
        .recordEnd(.extension, .killed(reason)), .showOriginal(1),
      ])
  }

  @Test func `A second push that a process found dying has not read is served by another process`() {
    var phone = phone(.run)
    phone.serve(1)
    _ = phone(.contentDelivered(push: 1, received))
    _ = phone(.serviceFinished(push: 1, reason: "done"))
    _ = phone(.pushArrived(TestPhone.alert(2)))
    _ = phone(.foundEnding(.extension))
    expect(
      phone(.processEnded(.extension, .exited(code: 0))),
      is: [
        .recordEnd(.extension, .ended), .launch(.extension, .push(2)),
      ])
  }
}

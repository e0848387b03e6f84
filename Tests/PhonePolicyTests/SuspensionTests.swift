@testable import PhonePolicy

/// What happens to an app in the background.
@Suite("Suspension") struct SuspensionTests {
  private func inBackground(_ configuration: PhoneConfiguration = PhoneConfiguration()) -> TestPhone {
    var phone = TestPhone(configuration, limitsBackground: true)
    phone.openApp()
    _ = phone(.userWentHome)
    return phone
  }

  @Test func `An app without assertions is suspended 5 s after it left the front`() {
    var phone = inBackground()
    expect(phone(.backgroundDone()), is: [])
    let left = phone.now
    expect(phone.passToDeadline(), is: [.suspend(.app)])
    expect(phone.now, is: left + .seconds(5))
    expect(phone.phone.app, is: .suspended)
    #expect(phone.phone.deadline == nil)
  }

  @Test(.shows("P-1.1")) func `A background task keeps the app awake until its end, for at most 180 s`() {
    var phone = inBackground()
    let left = phone.now
    expect(phone(.taskBegan(id: 1, name: "send")), is: [])
    expect(phone(.backgroundDone()), is: [])
    expect(phone.phone.deadline, is: left + .seconds(180))
    phone.now = left + .seconds(90)
    expect(phone(.deadlineReached), is: [])
    expect(phone(.taskEnded(id: 1)), is: [.suspend(.app)])
  }

  @Test(.shows("M-6.5", "M-6.8"))
  func `A background task that outlives its expiration by 5 s gets the app killed`() {
    var phone = inBackground()
    _ = phone(.taskBegan(id: 1, name: "send"))
    _ = phone(.taskBegan(id: 2, name: "splice"))
    _ = phone(.backgroundDone())
    expect(
      phone.passToDeadline(), is: [.tell(.app, .taskExpiring(id: 1)), .tell(.app, .taskExpiring(id: 2))])
    expect(phone(.taskEnded(id: 1)), is: [])
    expect(phone.passToDeadline(), is: [.kill(.app, .tasksNotEnded(milliseconds: 180_000))])
    expect(
      phone(.processEnded(.app, .signalled(9))),
      is: [
        .recordEnd(.app, .killed(.tasksNotEnded(milliseconds: 180_000)))
      ])
  }

  @Test func `A background task that begins late has its full 180 s if an earlier one kept the app awake`() {
    var phone = inBackground()
    _ = phone(.taskBegan(id: 1, name: "first"))
    _ = phone(.backgroundDone())
    phone.now = phone.now + .seconds(170)
    _ = phone(.taskBegan(id: 2, name: "second"))
    _ = phone(.taskEnded(id: 1))
    expect(phone.phone.deadline, is: phone.now + .seconds(180))
  }

  @Test
  func `An app that ends its expired background tasks is not killed, even if a silent push keeps it awake`() {
    var phone = inBackground()
    _ = phone(.taskBegan(id: 1, name: "send"))
    _ = phone(.backgroundDone())
    expect(phone.passToDeadline(), is: [.tell(.app, .taskExpiring(id: 1))])
    _ = phone(.pushArrived(TestPhone.silent(9)))
    #expect(phone.phone.assertions.contains(.silentPush(9)))
    expect(phone(.taskEnded(id: 1)), is: [])
    expect(phone.passToDeadline(), is: [.tell(.app, .timeWillExpire(push: 9))])
  }

  @Test func `The time of a background task begun in front counts from the moment the app left the front`() {
    var phone = TestPhone(limitsBackground: true)
    phone.openApp()
    _ = phone(.taskBegan(id: 1, name: "send"))
    phone.now = phone.now + .seconds(100)
    _ = phone(.userWentHome)
    _ = phone(.backgroundDone())
    expect(phone.phone.deadline, is: phone.now + .seconds(180))
  }

  @Test func `Beyond 1,000 open background tasks a new background task expires as it begins`() {
    var phone = inBackground()
    for id in UInt64(1)...1000 { expect(phone(.taskBegan(id: id, name: "task")), is: []) }
    expect(phone(.taskBegan(id: 1001, name: "task")), is: [.tell(.app, .taskExpiring(id: 1001))])
    _ = phone(.taskEnded(id: 1))
    expect(phone(.taskBegan(id: 1002, name: "task")), is: [])
  }

  @Test func `A resumed app first receives the network loss that it missed while suspended`() {
    var phone = inBackground()
    _ = phone(.backgroundDone())
    _ = phone.passToDeadline()
    #expect(!phone(.deviceChanged(.network(false))).contains(.tell(.app, .network(isThere: false))))
    expect(
      phone(.userOpened),
      is: [
        .resume(.app), .tell(.app, .network(isThere: false)), .tell(.app, .enterForeground),
      ])
  }

  @Test
  func `A report that the app has finished entering the background does not count for its next stay there`() {
    var phone = inBackground()
    let first = phone.phone.timesInBackground
    _ = phone(.userOpened)
    _ = phone(.userWentHome)
    expect(phone.phone.timesInBackground, is: first + 1)
    _ = phone(.backgroundDone(time: first))
    #expect(!phone.phone.isAppIdle)
    _ = phone(.backgroundDone(time: first + 1))
    #expect(phone.phone.isAppIdle)
  }

  @Test func `An app that does not finish entering the background within 5 s is killed by the watchdog`() {
    var phone = inBackground()
    _ = phone(.taskBegan(id: 1, name: "send"))
    expect(phone.passToDeadline(), is: [.kill(.app, .watchdog(milliseconds: 5000))])
  }

  @Test(.shows("K-20")) func `An app suspended with a lock in the container is killed: 0xdead10cc`() {
    var phone = inBackground()
    _ = phone(.backgroundDone())
    _ = phone.passToDeadline()
    let reason = EndReason.lockHeldWhileSuspended("locks/app.lock")
    expect(phone(.foundHoldingLock(.app, file: "locks/app.lock")), is: [.kill(.app, reason)])
    #expect("\(reason)".hasPrefix("0xdead10cc"))
    expect(phone(.foundHoldingLock(.app, file: "locks/app.lock")), is: [], "once")
    expect(phone(.processEnded(.app, .signalled(9))), is: [.recordEnd(.app, .killed(reason))])
  }

  @Test func `A lock that iosd finds after it has resumed the app is ignored`() {
    var phone = inBackground()
    _ = phone(.backgroundDone())
    _ = phone.passToDeadline()
    expect(phone(.userOpened), is: [.resume(.app), .tell(.app, .enterForeground)])
    expect(phone(.foundHoldingLock(.app, file: "locks/app.lock")), is: [])
  }

  @Test(.shows("B-C.3"))
  func `In a debug build the app in the background is neither suspended nor killed, as under a debugger`() {
    var phone = inBackground(PhoneConfiguration { $0.enforcesLimits = false })
    #expect(phone.phone.deadline == nil)
    _ = phone(.taskBegan(id: 1, name: "send"))
    _ = phone(.backgroundDone())
    #expect(phone.phone.deadline == nil)
  }

  @Test func `A suspended app is resumed when opened or at a power-off, and killed by a swipe`() {
    var phone = inBackground()
    _ = phone(.backgroundDone())
    _ = phone.passToDeadline()
    var swiped = phone
    expect(swiped(.userQuit), is: [.kill(.app, .user)])
    var down = phone
    expect(down(.downRequested), is: [.resume(.app), .tell(.app, .terminate)])
    expect(phone(.userOpened), is: [.resume(.app), .tell(.app, .enterForeground)])
  }

  @Test func `A suspended app can neither answer a request nor begin a background task`() {
    var phone = inBackground()
    _ = phone(.backgroundDone())
    _ = phone.passToDeadline()
    expect(phone(.appAsked(request: 1, inFront: false)), is: [.refuseAsk(request: 1, .appSuspended)])
    _ = phone(.taskBegan(id: 4, name: "late"))
    #expect(phone.phone.assertions.isEmpty)
  }

  @Test func `A background task begun twice counts once, and ending an unknown one does nothing`() {
    var phone = inBackground()
    _ = phone(.taskBegan(id: 1, name: "send"))
    _ = phone(.taskBegan(id: 1, name: "send"))
    _ = phone(.backgroundDone())
    phone.now = phone.now + .seconds(6)
    expect(phone(.taskEnded(id: 9)), is: [])
    expect(phone(.taskEnded(id: 1)), is: [.suspend(.app)])
  }
}

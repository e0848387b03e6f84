import Ground
import Testing

@testable import PhonePolicy

/// What happens to an app that nobody sees.
@Suite("Suspension") struct SuspensionTests {
  private func inBackground(_ configuration: PhoneConfiguration = PhoneConfiguration()) -> TestPhone {
    var phone = TestPhone(configuration, limitsBackground: true)
    phone.openApp()
    _ = phone(.userWentHome)
    return phone
  }

  @Test("An app that holds nothing is stopped 5 s after it left the front")
  func suspended() {
    var phone = inBackground()
    #expect(phone(.backgroundDone()) == [])
    let left = phone.now
    #expect(phone.passToDeadline() == [.suspend(.app)])
    #expect(phone.now == left + .seconds(5))
    #expect(phone.phone.app == .suspended)
    #expect(phone.phone.deadline == nil)
  }

  @Test(
    "P-1.1 A task of its own keeps it awake, up to 180 s; when it ends in time, the app is stopped at once")
  func taskKeepsAwake() {
    var phone = inBackground()
    let left = phone.now
    #expect(phone(.taskBegan(id: 1, name: "send")) == [])
    #expect(phone(.backgroundDone()) == [])
    #expect(phone.phone.deadline == left + .seconds(180))
    phone.now = left + .seconds(90)
    #expect(phone(.deadlineReached) == [])
    #expect(phone(.taskEnded(id: 1)) == [.suspend(.app)])
  }

  @Test("M-6.5, M-6.8 A task that goes on after its time is told so, and costs the app its life 5 s later")
  func taskExpires() {
    var phone = inBackground()
    _ = phone(.taskBegan(id: 1, name: "send"))
    _ = phone(.taskBegan(id: 2, name: "splice"))
    _ = phone(.backgroundDone())
    #expect(
      phone.passToDeadline() == [.tell(.app, .taskExpiring(id: 1)), .tell(.app, .taskExpiring(id: 2))])
    #expect(phone(.taskEnded(id: 1)) == [])
    #expect(phone.passToDeadline() == [.kill(.app, .tasksNotEnded(milliseconds: 180_000))])
    #expect(
      phone(.processEnded(.app, .signalled(9))) == [
        .recordEnd(.app, .killed(.tasksNotEnded(milliseconds: 180_000)))
      ])
  }

  @Test("A task that begins late has its whole time, if something else has kept the app awake until then")
  func lateTask() {
    var phone = inBackground()
    _ = phone(.taskBegan(id: 1, name: "first"))
    _ = phone(.backgroundDone())
    phone.now = phone.now + .seconds(170)
    _ = phone(.taskBegan(id: 2, name: "second"))
    _ = phone(.taskEnded(id: 1))
    #expect(phone.phone.deadline == phone.now + .seconds(180))
  }

  @Test("When it has ended all that was told to end, it is not killed, though a push keeps it awake")
  func endedInTime() {
    var phone = inBackground()
    _ = phone(.taskBegan(id: 1, name: "send"))
    _ = phone(.backgroundDone())
    #expect(phone.passToDeadline() == [.tell(.app, .taskExpiring(id: 1))])
    _ = phone(.pushArrived(TestPhone.silent(9)))
    #expect(phone.phone.assertions.contains(.silentPush(9)))
    #expect(phone(.taskEnded(id: 1)) == [])
    #expect(phone.passToDeadline() == [.tell(.app, .timeWillExpire(push: 9))])
  }

  @Test("What it began in front counts from when it left the front") func begunInFront() {
    var phone = TestPhone(limitsBackground: true)
    phone.openApp()
    _ = phone(.taskBegan(id: 1, name: "send"))
    phone.now = phone.now + .seconds(100)
    _ = phone(.userWentHome)
    _ = phone(.backgroundDone())
    #expect(phone.phone.deadline == phone.now + .seconds(180))
  }

  @Test("Of more than 1,000 tasks at once, those above are told to end as they begin") func tooManyTasks() {
    var phone = inBackground()
    for id in UInt64(1)...1000 { #expect(phone(.taskBegan(id: id, name: "task")) == []) }
    #expect(phone(.taskBegan(id: 1001, name: "task")) == [.tell(.app, .taskExpiring(id: 1001))])
    _ = phone(.taskEnded(id: 1))
    #expect(phone(.taskBegan(id: 1002, name: "task")) == [])
  }

  @Test("An app that goes on hears first that the network went while it was stopped")
  func networkNews() {
    var phone = inBackground()
    _ = phone(.backgroundDone())
    _ = phone.passToDeadline()
    #expect(!phone(.deviceChanged(.network(false))).contains(.tell(.app, .network(isThere: false))))
    #expect(
      phone(.userOpened) == [
        .resume(.app), .tell(.app, .network(isThere: false)), .tell(.app, .enterForeground),
      ])
  }

  @Test("That it is done with an earlier time in the background says nothing of the next one")
  func lateWord() {
    var phone = inBackground()
    let first = phone.phone.timesInBackground
    _ = phone(.userOpened)
    _ = phone(.userWentHome)
    #expect(phone.phone.timesInBackground == first + 1)
    _ = phone(.backgroundDone(time: first))
    #expect(!phone.phone.isAppIdle)
    _ = phone(.backgroundDone(time: first + 1))
    #expect(phone.phone.isAppIdle)
  }

  @Test("Who does not finish going to the background within 5 s is killed by the watchdog")
  func watchdog() {
    var phone = inBackground()
    _ = phone(.taskBegan(id: 1, name: "send"))
    #expect(phone.passToDeadline() == [.kill(.app, .watchdog(milliseconds: 5000))])
  }

  @Test("K-20 Who is suspended with a lock in the container is killed: 0xdead10cc")
  func deadlock() {
    var phone = inBackground()
    _ = phone(.backgroundDone())
    _ = phone.passToDeadline()
    let reason = KillReason.lockHeldWhileSuspended("locks/app.lock")
    #expect(phone(.foundHoldingLock(.app, file: "locks/app.lock")) == [.kill(.app, reason)])
    #expect("\(reason)".hasPrefix("0xdead10cc"))
    #expect(phone(.foundHoldingLock(.app, file: "locks/app.lock")) == [], "once")
    #expect(phone(.processEnded(.app, .signalled(9))) == [.recordEnd(.app, .killed(reason))])
  }

  @Test("A lock that is found when the app runs again is nobody's business")
  func lockFoundTooLate() {
    var phone = inBackground()
    _ = phone(.backgroundDone())
    _ = phone.passToDeadline()
    #expect(phone(.userOpened) == [.resume(.app), .tell(.app, .enterForeground)])
    #expect(phone(.foundHoldingLock(.app, file: "locks/app.lock")) == [])
  }

  @Test("B-C.3 A debug build is neither stopped nor killed, as under a debugger")
  func debugBuild() {
    var phone = inBackground(PhoneConfiguration(enforcesLimits: false))
    #expect(phone.phone.deadline == nil)
    _ = phone(.taskBegan(id: 1, name: "send"))
    _ = phone(.backgroundDone())
    #expect(phone.phone.deadline == nil)
  }

  @Test("A tap wakes a stopped app, a swipe ends it without a word, and going down wakes it to end")
  func waysOut() {
    var phone = inBackground()
    _ = phone(.backgroundDone())
    _ = phone.passToDeadline()
    var swiped = phone
    #expect(swiped(.userQuit) == [.kill(.app, .user)])
    var down = phone
    #expect(down(.downRequested) == [.resume(.app), .tell(.app, .terminate)])
    #expect(phone(.userOpened) == [.resume(.app), .tell(.app, .enterForeground)])
  }

  @Test("A stopped app makes no invoice, and a task cannot be begun by it")
  func nothingFromTheStopped() {
    var phone = inBackground()
    _ = phone(.backgroundDone())
    _ = phone.passToDeadline()
    #expect(phone(.appAsked(request: 1, inFront: false)) == [.refuseAsk(request: 1, .appSuspended)])
    _ = phone(.taskBegan(id: 4, name: "late"))
    #expect(phone.phone.assertions.isEmpty)
  }

  @Test("The same task twice counts once, and the number of another is not one of ours")
  func countedOnce() {
    var phone = inBackground()
    _ = phone(.taskBegan(id: 1, name: "send"))
    _ = phone(.taskBegan(id: 1, name: "send"))
    _ = phone(.backgroundDone())
    phone.now = phone.now + .seconds(6)
    #expect(phone(.taskEnded(id: 9)) == [])
    #expect(phone(.taskEnded(id: 1)) == [.suspend(.app)])
  }
}

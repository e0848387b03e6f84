import Glibc

@testable import PhonePolicy

@Suite struct AppLifeTests {
  @Test(arguments: [
    (SIGHUP, "SIGHUP"), (SIGINT, "SIGINT"), (SIGQUIT, "SIGQUIT"), (SIGILL, "SIGILL"), (SIGTRAP, "SIGTRAP"),
    (SIGABRT, "SIGABRT"), (SIGBUS, "SIGBUS"), (SIGFPE, "SIGFPE"), (SIGKILL, "SIGKILL"), (SIGSEGV, "SIGSEGV"),
    (SIGPIPE, "SIGPIPE"), (SIGTERM, "SIGTERM"), (SIGSYS, "SIGSYS"), (SIGUSR1, "signal 10"),
  ])
  func `A signal has the kernel's name`(number: Int32, name: String) {
    expect(SignalName.word(for: number), is: name)
  }

  @Test func `Opening the app starts it and brings it to the foreground`() {
    var phone = TestPhone()
    expect(phone(.userOpened), is: [.launch(.app, .user)])
    expect(phone(.userOpened), is: [])
    expect(phone(.processStarted(.app, pid: 8)), is: [.tell(.app, .enterForeground)])
    expect(phone.phone.app, is: .foreground)
  }

  @Test func `Leaving and reopening the app are told to its process, and no second process is started`() {
    var phone = TestPhone()
    phone.openApp()
    expect(phone(.userWentHome), is: [.tell(.app, .enterBackground)])
    expect(phone(.userWentHome), is: [])
    expect(phone(.backgroundDone()), is: [])
    expect(phone.phone.app, is: .background(BackgroundStay(since: phone.now, isDone: true)))
    expect(phone(.userOpened), is: [.tell(.app, .enterForeground)])
  }

  @Test
  func `If the user leaves while the app is starting, it starts in the background, and is told nothing`() {
    var phone = TestPhone()
    _ = phone(.userOpened)
    expect(phone(.userWentHome), is: [])
    expect(phone(.processStarted(.app, pid: 8)), is: [])
    expect(phone.phone.app.stage, is: .background)
  }

  @Test func `After a failed launch the app is not running, and opening the app launches it again`() {
    var phone = TestPhone()
    _ = phone(.userOpened)
    expect(phone(.launchFailed(.app, sentence: "no such file")), is: [])
    expect(phone(.userOpened), is: [.launch(.app, .user)])
  }

  @Test func `A swipe kills the app in front at once`() {
    var phone = TestPhone()
    phone.openApp()
    expect(phone(.userQuit), is: [.kill(.app, .user)])
    expect(phone(.processEnded(.app, .signalled(9))), is: [.recordEnd(.app, .killed(.user))])
    expect(phone.phone.app, is: .notRunning)
  }

  @Test func `A swipe asks an app in the background to end, and kills it after 5 s`() {
    var phone = TestPhone()
    phone.openApp()
    _ = phone(.userWentHome)
    expect(phone(.userQuit), is: [.tell(.app, .terminate)])
    expect(phone.phone.deadline, is: phone.now + .seconds(5))
    expect(phone(.deadlineReached), is: [])
    expect(phone.passToDeadline(), is: [.kill(.app, .graceOver)])
    expect(phone(.processEnded(.app, .signalled(9))), is: [.recordEnd(.app, .killed(.graceOver))])
  }

  @Test func `An app that ends when asked is recorded as ended when asked`() {
    var phone = TestPhone()
    phone.openApp()
    _ = phone(.userWentHome)
    _ = phone(.userQuit)
    expect(phone(.processEnded(.app, .exited(code: 0))), is: [.recordEnd(.app, .endedAsAsked)])
  }

  @Test func `Opening an app that is ending starts it again once it is gone`() {
    var phone = TestPhone()
    phone.openApp()
    _ = phone(.userQuit)
    expect(phone(.userOpened), is: [])
    expect(
      phone(.processEnded(.app, .signalled(9))), is: [.recordEnd(.app, .killed(.user)), .launch(.app, .user)])
  }

  @Test(arguments: [
    (ProcessEnd.exited(code: 0), EndReason.ended), (.exited(code: 1), .crashed(.exited(code: 1))),
    (.signalled(11), .crashed(.signalled(11))), (.signalled(6), .crashed(.signalled(6))),
    (.signalled(9), .killedFromOutside(signal: 9)), (.signalled(15), .killedFromOutside(signal: 15)),
  ])
  func
    `The end of a process that iosd neither asked to end nor killed is recorded as exit, crash or kill from outside`(
      _ end: ProcessEnd, _ reason: EndReason
    )
  {
    var phone = TestPhone()
    phone.openApp()
    expect(phone(.processEnded(.app, end)), is: [.recordEnd(.app, reason)])
    expect(phone(.processEnded(.app, end)), is: [])
  }

  @Test func `The end of a process that announced its end is no crash, unless a signal ended the process`() {
    var phone = TestPhone()
    phone.openApp()
    expect(phone(.endAnnounced(.app)), is: [])
    expect(phone(.processEnded(.app, .exited(code: 78))), is: [.recordEnd(.app, .gaveUp(code: 78))])
    phone.openApp()
    expect(
      phone(.processEnded(.app, .exited(code: 78))), is: [.recordEnd(.app, .crashed(.exited(code: 78)))],
      "an earlier process's announcement does not count for this one")
    phone.openApp()
    _ = phone(.endAnnounced(.app))
    expect(phone(.processEnded(.app, .signalled(11))), is: [.recordEnd(.app, .crashed(.signalled(11)))])
    phone.serve(1)
    _ = phone(.endAnnounced(.extension))
    expect(
      phone(.processEnded(.extension, .exited(code: 78))),
      is: [.recordEnd(.extension, .gaveUp(code: 78)), .showOriginal(1)])
    #expect(!EndReason.gaveUp(code: 78).isCrash)
  }

  @Test func `A crash just before iosd's kill is recorded as a crash`() {
    var phone = TestPhone()
    phone.openApp()
    _ = phone(.userQuit)
    expect(phone(.processEnded(.app, .signalled(11))), is: [.recordEnd(.app, .crashed(.signalled(11)))])
  }

  @Test func `A request to the app gets the app's answer, or a refusal with a reason`() {
    var phone = TestPhone()
    expect(phone(.appAsked(request: 1, inFront: false)), is: [.refuseAsk(request: 1, .appNotRunning)])
    var starting = phone
    _ = starting(.userOpened)
    expect(starting(.appAsked(request: 1, inFront: false)), is: [.refuseAsk(request: 1, .appStarting)])
    var ending = phone
    ending.openApp()
    _ = ending(.userQuit)
    expect(ending(.appAsked(request: 1, inFront: false)), is: [.refuseAsk(request: 1, .appTerminates)])
    phone.openApp()
    _ = phone(.userWentHome)
    expect(phone(.appAsked(request: 5, inFront: true)), is: [.refuseAsk(request: 5, .notInFront)])
    expect(phone(.appAsked(request: 6, inFront: false)), is: [.tell(.app, .ask(request: 6))])
    _ = phone(.appAnswered(request: 6))
    _ = phone(.userOpened)
    expect(phone(.appAsked(request: 2, inFront: true)), is: [.tell(.app, .ask(request: 2))])
    expect(phone(.appAnswered(request: 2)), is: [.passOnAnswer(request: 2)])
    expect(phone(.appAnswered(request: 2)), is: [])
    _ = phone(.appAsked(request: 3, inFront: true))
    expect(phone.passToDeadline(), is: [.refuseAsk(request: 3, .timedOut)])
    _ = phone(.appAsked(request: 4, inFront: true))
    expect(
      phone(.processEnded(.app, .signalled(9))),
      is: [.recordEnd(.app, .killedFromOutside(signal: 9)), .refuseAsk(request: 4, .appEnded)])
  }

  @Test func `A phone without processes powers off at once`() {
    var phone = TestPhone()
    expect(phone(.downRequested), is: [.powerOff])
    expect(phone(.downRequested), is: [])
    expect(phone(.userOpened), is: [])
  }

  @Test
  func
    `A power-off asks app and extension to end, waits for both, and shows the alerts of unfinished pushes`()
  {
    var phone = TestPhone()
    phone.openApp()
    _ = phone(.userWentHome)
    phone.serve(1)
    _ = phone(.pushArrived(TestPhone.alert(2)))
    expect(
      phone(.downRequested), is: [.showOriginal(2), .tell(.app, .terminate), .tell(.extension, .terminate)])
    expect(phone(.processEnded(.app, .exited(code: 0))), is: [.recordEnd(.app, .endedAsAsked)])
    expect(phone(.pushArrived(TestPhone.alert(3))), is: [.showOriginal(3)])
    expect(phone.passToDeadline(), is: [.kill(.extension, .graceOver)])
    expect(
      phone(.processEnded(.extension, .signalled(9))),
      is: [.recordEnd(.extension, .killed(.graceOver)), .showOriginal(1), .powerOff])
  }

  @Test
  func
    `An app whose process is found dying is not in front; opening it starts a new process once the old one is gone`()
  {
    var phone = TestPhone()
    phone.openApp()
    expect(phone(.foundEnding(.app)), is: [])
    expect(phone.phone.app.word, is: "terminating")
    expect(phone(.userOpened), is: [])
    #expect(phone.phone.opensWhenGone)
    expect(
      phone(.processEnded(.app, .signalled(9))),
      is: [.recordEnd(.app, .killedFromOutside(signal: 9)), .launch(.app, .user)])
    #expect(!phone.phone.opensWhenGone)
  }

  @Test
  func
    `An app whose process is found dying is neither asked to end nor killed, and a power-off waits for its end`()
  {
    var phone = TestPhone()
    phone.openApp()
    _ = phone(.foundEnding(.app))
    expect(phone(.userQuit), is: [])
    expect(phone(.downRequested), is: [])
    #expect(phone.phone.deadline == nil)
    expect(
      phone(.processEnded(.app, .exited(code: 3))),
      is: [.recordEnd(.app, .crashed(.exited(code: 3))), .powerOff])
  }

  @Test func `A report that the app is dying has no effect if no app is running`() {
    var phone = TestPhone()
    expect(phone(.foundEnding(.app)), is: [])
    expect(phone(.userOpened), is: [.launch(.app, .user)])
  }

  @Test func `A second power-off request kills app and extension at once`() {
    var phone = TestPhone()
    phone.openApp()
    _ = phone(.userWentHome)
    phone.serve(1)
    expect(phone(.downRequested), is: [.tell(.app, .terminate), .tell(.extension, .terminate)])
    expect(phone(.downRequested), is: [.kill(.app, .graceOver), .kill(.extension, .graceOver)])
    expect(phone(.downRequested), is: [])
  }
}

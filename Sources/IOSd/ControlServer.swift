import Ground
import DaemonRuntime
import PhonePolicy

/// Answers `baton` and lspd on the control socket: one verb, one function.
final class ControlServer {
  let shell: PhoneShell
  let clockKeeper: ClockKeeper
  private var waitForPowerOff: [UnixConnection] = []
  private var waitForOpening: [UnixConnection] = []
  var waitForBoot: UnixConnection?

  init(shell: PhoneShell, clockKeeper: ClockKeeper) {
    self.shell = shell
    self.clockKeeper = clockKeeper
  }

  func welcome(_ connection: UnixConnection) {
    connection.onMessage = { [unowned self, unowned connection] message in answer(message, on: connection) }
  }

  /// Answers the callers of `down`.
  func sayPoweredOff() { for connection in waitForPowerOff { connection.send(ControlMessage("ok")) } }

  private func answer(_ message: ControlMessage, on connection: UnixConnection) {
    do throws(ControlMessageError) {
      if let answer = try act(on: message, connection) { connection.send(answer) }
    } catch { connection.send(.error(error.description)) }
  }

  /// Nil: the answer is sent later.
  private func act(
    on message: ControlMessage, _ connection: UnixConnection
  ) throws(ControlMessageError) -> ControlMessage? {
    switch message.verb {
    case "open": return open(connection)
    case "open-url": return try openLink(message, connection)
    case "home": return userInput(.userWentHome)
    case "quit": return userInput(.userQuit)
    case "push": return push(message)
    case "ask-app":
      try shell.ask(message) { [weak connection] in connection?.send($0) }
      return nil
    case "status": return json(PhoneReport(shell).status.json)
    case "memory": return json(PhoneReport(shell).memory.json)
    case "ps": return json(PhoneReport(shell).processes(all: try message.flag("all", default: false)))
    case "notifications": return json(PhoneReport(shell).notifications)
    case "touch": return try touch(message)
    case "categories": return json(CategoryList.rows(of: shell.phone.categories).json)
    case "pushes": return json(PhoneReport(shell).pushes)
    case "clock": return try clock(message)
    case "device": return try device(message)
    case let verb where PhoneShell.keychainVerbs.contains(verb):
      return try shell.answerForKeychain(message, to: shell.asker(connection.peer))
    case "tasks": return json(PhoneReport(shell).tasks)
    case "task-launch", "task-expire": return try taskByHand(message)
    case "reboot": return try reboot(message, connection)
    case "down":
      waitForPowerOff.append(connection)
      shell.handle(.downRequested)
      return nil
    default:
      return .error(
        "iosd does not know `\(message.verb)`; it knows open, open-url, home, quit, push, pushes, ask-app, status, memory, ps, notifications, categories, touch, clock, device, tasks, task-launch, task-expire, keychain-read, keychain-write, keychain-delete, container, reboot and down"
      )
    }
  }

  private func json(_ text: String) -> ControlMessage { ControlMessage("ok", body: Array(text.utf8)) }

  private func userInput(_ event: PhoneEvent) -> ControlMessage {
    if let why = shell.phone.refusalOfUserInput { return .error(why.description) }
    shell.handle(event)
    return ControlMessage("ok", ["app": shell.phone.app.word])
  }

  /// Nil: the answer is sent when the ending process is gone and another one has taken its place.
  private func open(_ connection: UnixConnection) -> ControlMessage? {
    if let why = shell.phone.refusalOfUserInput { return .error(why.description) }
    shell.lookForEnd(of: .app)
    shell.handle(.userOpened)
    return whenOpened(connection)
  }

  private func openLink(
    _ message: ControlMessage, _ connection: UnixConnection
  ) throws(ControlMessageError) -> ControlMessage? {
    shell.lookForEnd(of: .app)
    if let why = try shell.follow(try message.required("url")) { return .error(why.description) }
    return whenOpened(connection)
  }

  private func whenOpened(_ connection: UnixConnection) -> ControlMessage? {
    guard !shell.phone.opensWhenGone else {
      waitForOpening.append(connection)
      return nil
    }
    return openingAnswer
  }

  func appEnded() {
    let waiting = waitForOpening
    waitForOpening = []
    for connection in waiting { connection.send(openingAnswer) }
  }

  private var openingAnswer: ControlMessage {
    if let child = shell.child(.app) {
      return ControlMessage("ok", ["app": shell.phone.app.word, "pid": "\(child.process.identity.pid)"])
    }
    let sentence = shell.launchFailures[.app] ?? "the phone is powering off; start it again"
    return .error(sentence)
  }

  private func push(_ message: ControlMessage) -> ControlMessage {
    do throws(PushPayloadError) {
      let payload = try PushPayload(message.body) { ScreenText.cut($0, to: ScreenText.nameMax) }
      let (push, waking) = shell.accept(payload, bytes: message.body)
      var answer = ControlMessage("ok", ["id": "\(push)"])
      answer["fate"] = shell.pushes.row(push)?.fate
      answer["fate-code"] = shell.pushes.row(push)?.fateCode?.rawValue
      answer["waking"] = waking.map { "\($0)" }
      answer["waking-fate"] = waking.flatMap { shell.pushes.row($0)?.fate }
      answer["waking-fate-code"] = waking.flatMap { shell.pushes.row($0)?.fateCode?.rawValue }
      return answer
    } catch { return .error(error.description.onOneLine) }
  }

  private func clock(_ message: ControlMessage) throws(ControlMessageError) -> ControlMessage {
    let tenYears: Int64 = 315_360_000
    let seconds = try message.integer("step-seconds", in: -tenYears...tenYears)
    do throws(SystemError) {
      try clockKeeper.step(bySeconds: seconds)
    } catch { return .error(error.description) }
    shell.journal.note("the user stepped the wall clock by \(seconds) s")
    return ControlMessage("ok", ["wall-ns": "\(shell.clock.wallNanoseconds)"])
  }
}

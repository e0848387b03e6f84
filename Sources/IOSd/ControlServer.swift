import DaemonRuntime
import Glibc
import Ground
import PhonePolicy
import SharedContainer

/// Answers `baton` and lspd on the control socket: one verb, one function.
final class ControlServer {
  let shell: PhoneShell
  let clockKeeper: ClockKeeper
  private var waitForPowerOff: [UnixConnection] = []
  private var waitForOpening: [UnixConnection] = []
  private var waitForWalletNews: [UnixConnection] = []
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
    case "ps": return json(PhoneReport(shell).processes(all: try message.flag("all", default: false)))
    case "notifications": return json(PhoneReport(shell).notifications)
    case "touch": return try touch(message)
    case "categories": return json(shell.phone.categories.json)
    case "pushes": return json(PhoneReport(shell).pushes)
    case "clock": return try clock(message)
    case "device": return try device(message)
    case let verb where PhoneShell.keychainVerbs.contains(verb):
      return try shell.answerForKeychain(message, to: shell.asker(connection.peer))
    case "tasks": return json(PhoneReport(shell).tasks)
    case "task-launch", "task-expire": return try taskByHand(message)
    case "reboot": return try reboot(message, connection)
    case "wallet-news":
      waitForWalletNews.removeAll { $0.end != nil }
      waitForWalletNews.append(connection)
      return nil
    case "down":
      waitForPowerOff.append(connection)
      shell.handle(.downRequested)
      return nil
    default:
      return .error(
        "iosd does not know `\(message.verb)`; it knows open, open-url, home, quit, push, pushes, ask-app, status, ps, notifications, categories, touch, clock, device, tasks, task-launch, task-expire, keychain-read, keychain-write, keychain-delete, container, reboot, wallet-news and down"
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

  func tellWalletNews() {
    for connection in waitForWalletNews { connection.send(ControlMessage("ok")) }
    waitForWalletNews = []
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
      let (push, waking) = shell.accept(payload)
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

extension ControlServer {
  /// One field for each switch to change; the answer is the new device state.
  func device(_ message: ControlMessage) throws(ControlMessageError) -> ControlMessage {
    // Validate all fields before applying any.
    let changes = try Self.changes(in: message)
    if changes.contains(where: \.needsScreen), let why = shell.phone.refusalOfUserInput {
      return .error(why.description)
    }
    for change in changes { shell.handle(.deviceChanged(change)) }
    return ControlMessage("ok", body: Array(shell.phone.device.json.utf8))
  }

  private static func changes(in message: ControlMessage) throws(ControlMessageError) -> [DeviceChange] {
    var changes: [DeviceChange] = []
    for field in message.fields {
      func flag() throws(ControlMessageError) -> Bool { try message.flag(field.name, default: false) }
      switch field.name {
      case "locked": changes.append(try flag() ? .locked : .unlocked)
      case "low-power": changes.append(.lowPowerMode(try flag()))
      case "background-refresh": changes.append(.backgroundRefresh(try flag()))
      case "notifications": changes.append(.notifications(try flag()))
      case "lock-screen": changes.append(.lockScreen(try flag()))
      case "centre": changes.append(.centre(try flag()))
      case "banners": changes.append(.banners(try flag()))
      case "focus": changes.append(.focus(try flag()))
      case "battery": changes.append(.battery(percent: try message.integer("battery", in: 0...100)))
      case "charger": changes.append(.charger(try flag()))
      case "network": changes.append(.network(try flag()))
      case "storage-full": changes.append(.storage(isFull: try flag()))
      case "audio": changes.append(.otherAudio(try flag()))
      default: break
      }
    }
    return changes
  }
}

extension DeviceChange {
  /// The user cannot lock or unlock a phone that is rebooting.
  fileprivate var needsScreen: Bool { self == .locked || self == .unlocked }
}

extension ControlServer {
  /// The user taps, acts on or dismisses a notification of the list.
  func touch(_ message: ControlMessage) throws(ControlMessageError) -> ControlMessage {
    let id = try message.id()
    let touch: NotificationTouch
    switch try message.required("do") {
    case "tap": touch = .tap
    case "dismiss": touch = .dismiss
    case "action": touch = .action(try message.required("action"))
    default: throw .badValue(name: "do", expected: "tap, action or dismiss")
    }
    guard let row = shell.notifications.rows.last(where: { $0.id == id }) else {
      return .error("there is no notification \(id); `baton list notifications` lists the present ones")
    }
    guard row.isThere else {
      return .error(
        "notification \(id) is gone from the list; `baton list notifications` lists the present ones")
    }
    if let why = shell.phone.refusal(of: touch, category: row.category) { return .error(why.description) }
    shell.handle(.notificationTouched(id: id, category: row.category, touch, userInfo: row.userInfo))
    return ControlMessage("ok", ["app": shell.phone.app.word])
  }
}

// The phone reboots; iosd keeps running.
extension ControlServer {
  /// Nil: the answer is sent when the phone is on again.
  func reboot(
    _ message: ControlMessage, _ connection: UnixConnection
  ) throws(ControlMessageError) -> ControlMessage? {
    let losingBeats = try message.flag("lose-beats", default: false)
    let unlocking = try message.flag("unlock", default: false)
    guard !shell.phone.isGoingDown else {
      return .error("the phone is powering off; start it again with `baton up`, which is also a boot")
    }
    // During a reboot a second one has no effect.
    if let why = shell.phone.refusalOfUserInput { return .error(why.description) }
    waitForBoot = connection
    shell.handle(.rebooted(losingBeats: losingBeats, unlocking: unlocking))
    return nil
  }

  /// Both processes are gone, so no process sees the clocks change.
  func booted(losingBeats: Bool) {
    if losingBeats { truncate(ContainerLayout(directory: shell.home.container).heartbeat, 0) }
    var answer: ControlMessage
    do throws(SystemError) {
      answer = ControlMessage("ok", ["boot": Journal.text(of: try clockKeeper.boot())])
    } catch { answer = .error("the phone has rebooted and still has its old boot id: \(error)") }
    shell.journal.note("the phone has rebooted: \(answer["boot"] ?? answer.errorSentence ?? "")")
    waitForBoot?.send(answer)
    waitForBoot = nil
  }
}

/// Writes the file that gives this phone its own clocks. Each start of iosd is a boot of the phone; the wall
/// clock's offset persists. The first half of a boot's id is that of the machine, so that stamps of its monotonic clock
/// can be compared by it.
final class ClockKeeper {
  private let file: PhoneClockFile
  private var value: PhoneClock

  init(_ path: String) throws(SystemError) {
    file = PhoneClockFile(path: path)
    let all = UInt64.min...UInt64.max
    let last = file.read()
    value = PhoneClock(
      boot: BootID(high: Clock().boot.high, low: .random(in: all)),
      wallOffsetNanoseconds: last?.wallOffsetNanoseconds ?? 0)
    try file.write(value)
  }

  /// Begins a new boot: the boot clock restarts at zero, the wall clock continues.
  func boot() throws(SystemError) -> BootID {
    let all = UInt64.min...UInt64.max
    var next = value
    next.boot = BootID(high: Clock().boot.high, low: .random(in: all))
    next.bootOffsetNanoseconds = 0 &- Clock.kernelBootClock.nanoseconds
    try file.write(next)
    value = next
    return next.boot
  }

  /// Fails without a change if the step leaves the clock's range.
  func step(bySeconds seconds: Int64) throws(SystemError) {
    let (step, stepOverflowed) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflowed) = value.wallOffsetNanoseconds.addingReportingOverflow(step)
    let hundredYears: Int64 = 3_153_600_000_000_000_000
    guard !stepOverflowed, !overflowed, (-hundredYears...hundredYears).contains(sum) else {
      throw SystemError("set the wall clock more than a hundred years off", code: ERANGE)
    }
    var next = value
    next.wallOffsetNanoseconds = sum
    try file.write(next)
    value = next
  }
}

/// Callers waiting for an answer of the app. The core knows only the request's number; the contents are opaque to
/// iosd.
final class PendingAsks {
  private struct Ask {
    var request: UInt64
    var body: [UInt8]
    var answer: ControlMessage?
    var reply: (ControlMessage) -> Void
  }

  /// Fits into one message to the app together with the number.
  static let bodyMax = 16_384

  private var open: [Ask] = []
  private var nextRequest: UInt64 = 1

  func take(_ body: [UInt8], reply: @escaping (ControlMessage) -> Void) -> UInt64 {
    let request = nextRequest
    nextRequest &+= 1
    open.append(Ask(request: request, body: body, reply: reply))
    return request
  }

  func message(for request: UInt64) -> ControlMessage {
    let body = open.first { $0.request == request }?.body ?? []
    return ControlMessage("ask", ["request": "\(request)"], body: body)
  }

  func answer(_ request: UInt64, with answer: ControlMessage) {
    guard let index = open.firstIndex(where: { $0.request == request }) else { return }
    open[index].answer = answer
  }

  func passOn(_ request: UInt64) {
    guard let index = open.firstIndex(where: { $0.request == request }) else { return }
    let ask = open.remove(at: index)
    ask.reply(ask.answer ?? .error("the app did not answer; ask again"))
  }

  func refuse(_ request: UInt64, with error: ControlMessage) {
    answer(request, with: error)
    passOn(request)
  }
}

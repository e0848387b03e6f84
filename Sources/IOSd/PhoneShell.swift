import DaemonRuntime
import Glibc
import Ground
import PhonePolicy

/// Feeds the phone's core with events and carries out its directives. It contains no rule of the phone.
final class PhoneShell {
  private static let appPollSpan = TimeSpan.milliseconds(250)
  /// Keeps the answer to `status` within one message.
  private static let statusFieldsMax = 16

  let options: PhoneOptions
  let home: PhoneHome
  let loop: EventLoop
  let clock: Clock
  let journal: Journal
  let processes: ProcessLedger
  let notifications: NotificationCentre
  let pushes: PushLedger
  let asks = PendingAsks()
  let tasks: TaskLedger
  let keychain: KeychainStore
  let memoryLimiter: MemoryLimiter
  var blindSpots: BlindSpots
  let deviceFile: DeviceFile
  let categoryFile: CategoryFile
  private(set) var children: [WalletChild] = []
  /// Why the last launch of a role failed; nil after a successful one.
  private(set) var launchFailures: [Role: String] = [:]
  var onPowerOff: (() -> Void)?
  var onAppEnded: (() -> Void)?
  /// A process of the wallet has ended a payment or a splice-out of the user, durably, or can end none now.
  var onWalletNews: (() -> Void)?
  var onBoot: ((_ losingBeats: Bool) -> Void)?

  /// The text that the app is copying.
  var copied: [UInt8] = []
  /// Why the text was not put on the pasteboard; for the answer to the request that made the app copy it.
  var pasteboardRefusal: String?
  private var lastEnded: [Role: UInt64] = [:]
  /// The reason that a process announced for its end.
  private struct AnnouncedEnd {
    var code: String?
    var sentence: String
  }
  private var announcedEnds: [Role: AnnouncedEnd] = [:]
  private var runner: CoreRunner<Phone>!

  var phone: Phone { runner.core }

  init(options: PhoneOptions, home: PhoneHome, loop: EventLoop, clock: Clock, journal: Journal) throws {
    self.options = options
    self.home = home
    self.loop = loop
    self.clock = clock
    self.journal = journal
    memoryLimiter = try MemoryLimiter(options)
    deviceFile = try DeviceFile(home.device)
    if deviceFile.wasDamaged {
      journal.note("\(home.device) cannot be read: the phone starts with the default switches")
    }
    blindSpots = BlindSpots(home: home)
    for spot in blindSpots.spots { journal.note("\(spot)") }
    var configuration = options.configuration
    configuration.device = deviceFile.state
    categoryFile = CategoryFile(home.categories)
    if let trouble = categoryFile.trouble { journal.note(trouble) }
    configuration.categories = categoryFile.categories
    processes = try ProcessLedger(home.processes, clock: clock)
    notifications = try NotificationCentre(home.notifications)
    pushes = try PushLedger(home.pushes, shown: notifications.shownBefore, clock: clock)
    keychain = try KeychainStore(directory: home.keychainItems, key: home.keychainKey)
    tasks = try TaskLedger(home.tasks, clock: clock, timeScale: options.configuration.tasks.timeScale)
    runner = CoreRunner(configuration: configuration, loop: loop, clock: clock, journal: journal) {
      [unowned self] (directive: PhoneDirective) in carryOut(directive)
    }
  }

  func handle(_ event: PhoneEvent) { runner.handle(event) }

  func child(_ role: Role) -> WalletChild? { children.first { $0.role == role } }

  /// Accepts a push and returns its number. An alert that also wakes the app counts as two pushes with separate
  /// fates.
  func accept(_ payload: PushPayload) -> (push: UInt64, waking: UInt64?) {
    let push = arrived(payload.push(pushes.upcomingID))
    return (push, payload.waking(pushes.upcomingID, of: push).map(arrived))
  }

  private func arrived(_ push: PhonePush) -> UInt64 {
    lookForEnd(of: .extension)
    pushes.take(push, clock: clock)
    handle(.pushArrived(push))
    return push.id
  }

  // MARK: Directives

  private func carryOut(_ directive: PhoneDirective) {
    switch directive {
    case .launch(let role, let reason): launch(role, reason)
    case .tell(let role, let message): child(role)?.send(encode(message))
    case .kill(let role, _): child(role)?.kill()
    case .suspend(let role): suspend(role)
    case .resume(let role): child(role)?.resume()
    case .endConnections(let role): endConnections(of: role)
    case .show(let notification): notifications.show(notification, clock: clock)
    case .setBadge(let number): notifications.setBadge(number, clock: clock)
    case .withdraw(let key): notifications.withdraw(key: key, clock: clock)
    case .recordFate(let push, let fate): pushes.record(fate, of: push, clock: clock)
    case .refuseCompletion(let push): refuseCompletion(of: push)
    case .closeNotification(let id, let touch): notifications.close(id, touch, clock: clock)
    case .refuseNotification(let push, let why): refuseNotification(push, why)
    // Only the journal records it.
    case .refuseContent: break
    case .setPasteboard: setPasteboard()
    case .refusePasteboard(let role, let why): refusePasteboard(to: role, why)
    case .saveDevice(let state): save(state)
    case .saveCategories(let categories): save(categories)
    case .recordEnd(let role, let reason): recordEnd(role, reason)
    case .passOnAnswer(let request): asks.passOn(request)
    case .refuseAsk(let request, let why): asks.refuse(request, with: error(why))
    case .recordTask(let record): tasks.record(record, clock: clock)
    case .refuseTaskCompletion(_, let run): tasks.noteRefusedCompletion(of: run)
    case .boot(let losingBeats): onBoot?(losingBeats)
    case .powerOff:
      saveCategoriesAgain()
      onPowerOff?()
    }
  }

  private func encode(_ message: PhoneMessage) -> ControlMessage {
    switch message {
    case .network(let isThere): return ControlMessage("network", ["there": isThere ? "yes" : "no"])
    case .enterForeground: return ControlMessage("enter-foreground")
    case .enterBackground: return ControlMessage("enter-background", ["time": "\(phone.timesInBackground)"])
    case .push(let id, let deadline, let isSilent, let payload):
      var message = ControlMessage(
        "push", ["id": "\(id)", "deadline-ms": "\(deadline)"], body: Array((payload ?? "").utf8))
      if isSilent { message["silent"] = "yes" }
      return message
    case .timeWillExpire(let push): return ControlMessage("time-will-expire", ["id": "\(push)"])
    case .terminate: return ControlMessage("terminate")
    case .taskExpiring(let id): return ControlMessage("background-expiring", ["id": "\(id)"])
    case .activityExpired(let id): return ControlMessage("activity-expired", ["id": "\(id)"])
    case .notificationResponse(let id, let action, let userInfo):
      return ControlMessage(
        "notification-response", ["id": "\(id)", "action": action], body: Array((userInfo ?? "").utf8))
    case .link(let link): return ControlMessage("open-url", ["url": link])
    case .memoryWarning(let footprint):
      return ControlMessage("memory-warning", ["footprint-bytes": "\(footprint)"])
    case .ask(let request): return asks.message(for: request)
    case .task(let message): return TaskMessages.encode(message)
    case .audio(let message): return AudioMessages.encode(message)
    }
  }

  // MARK: Children

  private func launch(_ role: Role, _ reason: LaunchReason) {
    let path = options.program(of: role)
    do throws(SystemError) {
      var start = ChildProcess.Options()
      start.environment.append((name: "BATON_FULL_DISK", value: home.fullDisk))
      let output = ProcessOutput(home, role, processes.upcomingID)
      defer { output?.close() }
      (start.output, start.error) = (output?.descriptor ?? -1, output?.descriptor ?? -1)
      start.group = role == .extension ? try memoryLimiter.openGroup() : -1
      defer { if start.group >= 0 { close(start.group) } }
      let process = try ChildProcess.start(
        path, arguments: options.childArguments(home, role), boot: clock.boot, options: start)
      try adopt(process, role, path, reason)
      launchFailures[role] = nil
      handle(.processStarted(role, pid: process.identity.pid))
    } catch {
      launchFailures[role] = error.description
      handle(.launchFailed(role, sentence: error.description))
    }
  }

  private func adopt(
    _ process: ChildProcess, _ role: Role, _ path: String, _ reason: LaunchReason
  ) throws(SystemError) {
    let ledgerID = processes.begin { id in
      var row = ProcessRow(
        id: id, role: role, pid: process.identity.pid, startTime: process.identity.startTime, path: path,
        reason: reason, wall: clock.wallNanoseconds, at: clock.now.nanoseconds)
      row.boot = clock.bootText
      return row
    }
    let limit = role == .extension ? options.configuration.extensionMemoryBytes : .max
    let child = WalletChild(
      role: role, process: process, ledgerID: ledgerID, memoryLimit: limit,
      warningLimit: role == .app ? options.configuration.memoryWarningBytes : .max, loop: loop,
      onMessage: { [unowned self] in hear($0, from: role) },
      onHangUp: { [unowned self] in journal.note("the \(role.rawValue)'s connection to iosd ended: \($0)") },
      onSample: { [unowned self] sample in
        handle(
          .memorySampled(role, footprintBytes: sample.footprintBytes, residentBytes: sample.residentBytes))
      })
    do throws(SystemError) {
      guard let child else {
        close(process.channel)
        throw SystemError("talk to \(path)", code: EBADF)
      }
      try loop.watchProcess(process.pidfd) { [unowned self] in ended(child) }
      children.append(child)
    } catch {
      abandon(process, ledgerID, because: error)
      throw error
    }
    guard let child else { return }
    child.pollMemory(every: role == .extension ? MemoryLimiter.pollSpan : Self.appPollSpan)
  }

  /// A process that cannot be watched is killed.
  private func abandon(_ process: ChildProcess, _ ledgerID: UInt64, because error: SystemError) {
    process.send(SIGKILL)
    _ = ChildEnd.reap(process.identity.pid)
    close(process.pidfd)
    processes.change(ledgerID) { row in
      row.endedWallNs = clock.wallNanoseconds
      row.endedAtNs = clock.now.nanoseconds
      row.reason = error.description
    }
    processes.save(ledgerID)
  }

  /// Called before relying on a process: reports an end that the kernel already knows.
  func lookForEnd(of role: Role) {
    guard let child = child(role) else { return }
    if child.hasEnded {
      loop.unwatch(child.process.pidfd)
      ended(child)
    } else if ProcessTable.isEnding(child.process.identity.pid) {
      handle(.foundEnding(role))
    }
  }

  /// Called before handling a message after which the process may be given another push. Its end itself is handled
  /// later, when all its messages are read.
  func noteEnding(of role: Role) {
    guard let child = child(role), child.hasEnded || ProcessTable.isEnding(child.process.identity.pid)
    else { return }
    handle(.foundEnding(role))
  }

  private func ended(_ child: WalletChild) {
    let end = child.finish()
    let output = ProcessOutput.end(home, child.role, child.ledgerID)
    // Not reaped by us, so its exit code is unknown: counts as a crash.
    let how = end?.how ?? .exited(code: -1)
    children.removeAll { $0 === child }
    processes.change(child.ledgerID) { row in
      row.endedWallNs = clock.wallNanoseconds
      row.endedAtNs = clock.now.nanoseconds
      row.peakFootprintBytes = child.peakFootprintBytes
      row.peakResidentBytes = peakResident(child, end)
      (row.output, row.lastLine) = (output?.path, output?.lastLine)
      row.cpuUs = (end?.userMicroseconds ?? 0) &+ (end?.systemMicroseconds ?? 0)
      switch how {
      case .exited(let code): (row.how, row.number) = ("exited", code)
      case .signalled(let signal): (row.how, row.number) = ("signalled", signal)
      }
    }
    lastEnded[child.role] = child.ledgerID
    if let killedAt = child.killedAt {
      journal.note(
        "the \(child.role.rawValue) died \((clock.now - killedAt).nanoseconds / 1000) µs after its kill")
    }
    if child.role == .extension, let used = memoryLimiter.bytesAtKill() {
      handle(.memoryLimitEnforced(.extension, usedBytes: used))
    }
    handle(.processEnded(child.role, how))
    processes.save(child.ledgerID)
    noteOutput(of: child)
    if child.role == .app { onAppEnded?() }
    onWalletNews?()
  }

  /// A crashed process has often printed the reason.
  private func noteOutput(of child: WalletChild) {
    guard let row = processes.row(child.ledgerID), row.hasCrashed == true, let output = row.output else {
      return
    }
    let last = row.lastLine.map { ", and its last line is: \($0)" } ?? ""
    journal.note("the output of the \(child.role.rawValue) (process \(row.pid)) is in \(output)\(last)")
  }

  /// The kernel's figure at the end includes iosd's own size at the fork, so it only counts above that.
  private func peakResident(_ child: WalletChild, _ end: ChildEnd?) -> UInt64? {
    let seen = child.memory?.peakResidentBytes
    let ours = MemoryFigures(of: getpid())?.peakResidentBytes ?? .max
    guard let atEnd = end?.peakResidentBytes, atEnd > ours else { return seen }
    return max(atEnd, seen ?? 0)
  }

  private func recordEnd(_ role: Role, _ reason: EndReason) {
    guard let id = lastEnded[role] else { return }
    processes.change(id) { row in
      let said = announcedEnds.removeValue(forKey: role)
      row.reason = said.map { "\(reason): \($0.sentence)" } ?? reason.description
      row.ownCode = said?.code
      row.endCode = reason.code
      row.hasCrashed = reason.isCrash
    }
  }

  // MARK: Messages of children

  private func hear(_ message: ControlMessage, from role: Role) {
    do throws(ControlMessageError) { try understand(message, from: role) } catch {
      journal.note("the \(role.rawValue) sent an invalid message: \(error)")
    }
  }

  private func understand(_ message: ControlMessage, from role: Role) throws(ControlMessageError) {
    switch message.verb {
    case "hello": try checkHello(message, role)
    case "content":
      if role == .extension { noteEnding(of: role) }
      let text = try notificationText(message)
      handle(.contentDelivered(push: try message.id(), text, key: message["key"]))
    case "notification":
      let text = try notificationText(message)
      handle(.notificationPosted(text, key: message["key"], withdraws: message["withdraw"]))
    case "withdraw": handle(.notificationWithdrawn(key: try message.required("key")))
    case "finished":
      if role == .extension { noteEnding(of: role) }
      handle(.serviceFinished(push: try message.id(), reason: message["reason"] ?? ""))
    case "screen": if role == .app { hearScreen(message) }
    case "pasteboard": try hearCopy(message, from: role)
    case "ending": hearOfEnd(message, of: role)
    case "categories": if role == .app { try hearCategories(message) }
    case "response-done": if role == .app { handle(.responseDone(id: try message.id())) }
    case "push-done": if role == .app { try hearPushDone(message) }
    case "background-done":
      let time = try message.integerIfPresent("time", in: UInt64.min...UInt64.max)
      if role == .app { handle(.backgroundDone(time: time)) }
    case "background-begin", "background-end": if role == .app { try understandTask(message) }
    case "activity-begin", "activity-end": try understandActivity(message, from: role)
    case "status":
      child(role)?.status = message.fields.prefix(Self.statusFieldsMax).map {
        .init(name: $0.name, value: ScreenText.cut($0.value, to: ScreenText.titleMax))
      }
    case "answer": if role == .app { try hearAnswer(message) }
    case "sent-end": onWalletNews?()
    case let verb where Self.keychainVerbs.contains(verb): try askKeychain(message, from: role)
    case "task-submit", "task-cancel", "task-done", "audio-start", "audio-stop":
      guard role == .app else {
        return journal.note("the \(role.rawValue) sent \(message.verb), which only the app may send")
      }
      if let event = try TaskMessages.event(of: message) { handle(.task(event)) }
      if let event = try AudioMessages.event(of: message) { handle(.audio(event)) }
    default: journal.note("the \(role.rawValue) sent the unknown verb \(message.verb)")
    }
  }

  private func hearOfEnd(_ message: ControlMessage, of role: Role) {
    guard let reason = message["reason"], !reason.isEmpty else { return }
    announcedEnds[role] = AnnouncedEnd(
      code: message["code"].map { ScreenText.cut($0, to: ScreenText.titleMax) },
      sentence: ScreenText.cut(reason, to: ScreenText.bodyMax))
    handle(.endAnnounced(role))
  }

  private func checkHello(_ message: ControlMessage, _ role: Role) throws(ControlMessageError) {
    let said = try message.required("role")
    if said != role.rawValue { journal.note("the hello of the \(role.rawValue) names the role \(said)") }
    handle(.helloSaid(role))
  }
}

/// Answers requests for keychain items and containers, over the channel of a wallet process or the control socket.
/// The rules are in PhonePolicy; item values are never journaled.
extension PhoneShell {
  static let keychainVerbs = ["keychain-read", "keychain-write", "keychain-delete", "container"]

  /// The channel identifies the process: only this child was given its other end.
  func askKeychain(_ message: ControlMessage, from role: Role) throws(ControlMessageError) {
    let request = try message.required("request")
    var answer: ControlMessage
    do throws(ControlMessageError) {
      answer = try answerForKeychain(message, to: .wallet(role))
    } catch { answer = .error(error.description) }
    if let sentence = answer.errorSentence {
      let because = answer["because"]
      answer = ControlMessage("keychain-refused", ["message": sentence])
      answer["because"] = because
    } else {
      answer.verb = "keychain-answer"
    }
    answer["request"] = request
    child(role)?.send(answer)
  }

  /// On the control socket the kernel names the connecting process. Its pid may be reused, so its start time must
  /// match our child's too.
  func asker(_ peer: PeerCredentials) -> KeychainAsker {
    let startTime = ProcessTable.startTime(of: peer.pid)
    for role in Role.allCases {
      guard let identity = child(role)?.process.identity else { continue }
      if identity.pid == peer.pid && identity.startTime == startTime { return .wallet(role) }
    }
    return .unknownProcess(pid: peer.pid)
  }

  func answerForKeychain(
    _ message: ControlMessage, to asker: KeychainAsker
  ) throws(ControlMessageError) -> ControlMessage {
    let result: ControlMessage
    do {
      result = message.verb == "container" ? try container(message, asker) : try item(message, asker)
    } catch let error as ControlMessageError { throw error } catch { return .error("\(error)") }
    if let sentence = result.errorSentence { journal.note("\(message.verb) is refused: \(sentence)") }
    return result
  }

  private func container(_ message: ControlMessage, _ asker: KeychainAsker) throws -> ControlMessage {
    let id = try Self.name("id", message)
    if let refusal = phone.refusal(to: asker, container: id) { return .error(refusal.description) }
    return ControlMessage("ok", ["path": home.container])
  }

  private func item(_ message: ControlMessage, _ asker: KeychainAsker) throws -> ControlMessage {
    let group = try Self.name("group", message)
    let account = try Self.name("account", message)
    // A process without the entitlement does not learn which items exist.
    if let refusal = phone.refusal(to: asker, group: group, protection: .afterFirstUnlock) {
      return .error(refusal.description)
    }
    let known = try keychain.item(group, account)
    let request: KeychainProtection? = message["protection"] == nil ? nil : try message.word("protection")
    let strictest =
      [known?.protection, request].contains(.whenUnlocked)
      ? KeychainProtection.whenUnlocked : .afterFirstUnlock
    if let refusal = phone.refusal(to: asker, group: group, protection: strictest) {
      return .error(refusal.description)
    }
    var missing = ControlMessage.error("there is no item \(account) in the access group \(group)")
    missing["because"] = "missing"
    switch message.verb {
    case "keychain-read":
      guard let known else { return missing }
      return ControlMessage(
        "ok", ["protection": known.protection.rawValue], body: try keychain.value(of: known))
    case "keychain-delete": return keychain.delete(group, account) ? ControlMessage("ok") : missing
    default:
      if try message.flag("only-new", default: false), known != nil {
        var existing = ControlMessage.error(
          "there is an item \(account) in the access group \(group) already")
        existing["because"] = "exists"
        return existing
      }
      guard message.body.count <= KeychainStore.valueMax else {
        return .error(
          "the item has \(message.body.count) bytes and may have \(KeychainStore.valueMax); shorten it")
      }
      try keychain.write(message.body, group, account, request ?? known?.protection ?? .whenUnlocked)
      return ControlMessage("ok")
    }
  }

  private static func name(_ field: String, _ message: ControlMessage) throws(ControlMessageError) -> String {
    let text = try message.required(field)
    guard (1...KeychainStore.nameMax).contains(text.unicodeScalars.count), text == text.onOneLine else {
      throw .badValue(name: field, expected: "one line of at most \(KeychainStore.nameMax) characters")
    }
    return text
  }
}

// Requests to the app, and its answers: opaque bytes to the phone.
extension PhoneShell {
  func ask(_ message: ControlMessage, reply: @escaping (ControlMessage) -> Void) throws(ControlMessageError) {
    guard message.body.count <= PendingAsks.bodyMax else {
      return reply(
        .error(
          "the request has \(message.body.count) bytes and may have \(PendingAsks.bodyMax); ask for less at once"
        ))
    }
    let inFront = try message.flag("in-front", default: true)
    handle(.appAsked(request: asks.take(message.body, reply: reply), inFront: inFront))
  }

  func hearAnswer(_ message: ControlMessage) throws(ControlMessageError) {
    let request = try message.integer("request", in: UInt64.min...UInt64.max)
    var answer = ControlMessage("answer", body: message.body)
    // The app is not told, as on iOS; the user sees it.
    answer["pasteboard-refusal"] = pasteboardRefusal
    pasteboardRefusal = nil
    asks.answer(request, with: answer)
    handle(.appAnswered(request: request))
  }

  func error(_ refusal: Refusal) -> ControlMessage {
    refusal.leavesOutcomeUnknown ? .outcomeUnknown(words(refusal)) : .error(words(refusal))
  }

  /// If the app's process is stopped (SIGSTOP, debugger), asking again does not help.
  private func words(_ refusal: Refusal) -> String {
    guard refusal == .timedOut, phone.app != .suspended,
      let pid = child(.app)?.process.identity.pid, ProcessTable.isStopped(pid)
    else { return refusal.description }
    return
      "the outcome is unknown: the app (process \(pid)) is stopped (SIGSTOP or a debugger) and did not answer in time, and may begin the request once `baton thaw app` continues it; look at `baton list payments` before you try again"
  }
}

// Tasks that a developer starts or expires by hand.
extension ControlServer {
  func taskByHand(_ message: ControlMessage) throws(ControlMessageError) -> ControlMessage {
    let identifier = try TaskMessages.identifier(message)
    let isLaunch = message.verb == "task-launch"
    let refusal =
      isLaunch ? shell.phone.refusalToLaunchByHand(identifier) : shell.phone.refusalToExpireByHand(identifier)
    if let refusal { return .error(refusal.description) }
    shell.handle(
      .task(isLaunch ? .launchedByHand(identifier: identifier) : .expiredByHand(identifier: identifier)))
    return ControlMessage("ok")
  }
}

extension PhoneReport {
  var tasks: String { rows(shell.tasks.rows) }

  var nowPlaying: NowPlaying? {
    guard let playing = shell.phone.audio.playing else { return nil }
    return NowPlaying(
      playing.session, since: playing.since,
      volume: AudioMessages.volumeText(playing.session.volumeThousandths))
  }
}

extension ControlMessage {
  func id() throws(ControlMessageError) -> UInt64 { try integer("id", in: UInt64.min...UInt64.max) }
}

extension PhoneShell {
  /// The app reports the completion of a silent push.
  func hearPushDone(_ message: ControlMessage) throws(ControlMessageError) {
    let push = try message.id()
    handle(.silentPushDone(push: push, try message.word("result")))
  }

  func refuseCompletion(of push: UInt64) {
    journal.note(
      "the app completed push \(push), which was completed or had expired before, or was never delivered: no effect"
    )
  }
}

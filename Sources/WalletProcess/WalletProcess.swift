import Crypto
import DaemonRuntime
import Glibc
import Ground
import Guardrails
import Lightning
import LightningIO
import Platform
import SharedContainer
import Wallet

/// One wallet process, from its command line to its end: the wallet and its three ports. It decides nothing.
public final class WalletProcess<Machine: GuardMachine & WalletGuard> {
  private let wallet: WalletProfile
  private let loop: EventLoop
  private let clock: Clock
  private let journal: Journal
  private let presence: PresenceLink
  private let emulatedPhone: EmulatedPhone?
  private let terminalPhone: TerminalPhone
  private let container: WalletContainer
  private let wire: WalletWire
  private let invoices: InvoiceMaker
  private let cleaner: JournalCleaner
  /// Of the deferred work, beside the scheduled task's.
  private let tidier: JournalCleaner
  private let pushKey: PrivateKey?
  private var runner: CoreRunner<WalletMachine<Machine>>!
  private let openRead: OpenRead?
  /// The fault that each push triggers.
  public var fault: ExtensionFault?
  /// Messages of the phone from before the loop ran.
  private var earlier: [ControlMessage] = []

  /// Ends the process with one sentence if it cannot start. `background`: the app's own work in the background; nil in
  /// the extension.
  /// `completion`: in an app whose extension has no node.
  public init(
    _ options: WalletOptions, background: BackgroundWork.Habits? = nil,
    completion: (any PaymentCompletion)? = nil
  ) {
    CrashTraces.withholdMemory()
    wallet = options.wallet
    let name = Machine.role.processName
    let channel = ParentChannel.take()
    Self.checkDirectories(options, telling: channel)
    do {
      let keychain = PhoneKeychain(channel: channel, options)
      try keychain?.ask()
      // The container comes first: its locks must have lower descriptors than the node's sockets.
      let shared = try SharedContainer.open(
        options.container, role: Machine.role, nodeSchema: WalletSchema.steps)
      BusErrorEnd.install(database: shared.layout.database, channel: channel)
      openRead = options.leavesReadOpen ? try OpenRead(database: shared.layout.database) : nil
      let secrets =
        try keychain.map { try WalletSecrets($0, for: Machine.role, walletIsNew: shared.isNew) }
        ?? WalletSecrets(keychain: options.keychain, walletIsNew: shared.isNew)
      let pushKeyReading =
        completion == nil ? PushKey.Reading() : PushKey.readOrMake(keychain, directory: options.keychain)
      pushKey = pushKeyReading.key
      earlier = keychain?.earlier ?? []
      loop = try EventLoop()
      clock = Clock(phoneClockFile: options.phoneClock)
      journal = try Journal(
        directory: options.journal, name: name, clock: clock, version: batonVersion,
        arguments: Array(TypedArguments.words.dropFirst()))
      if let trouble = pushKeyReading.trouble { journal.note(trouble) }
      Self.tellNodeID(secrets.nodeKey.publicKey, in: options.keychain, journal)
      presence = PresenceLink(directory: shared.layout.presence, role: Machine.role, loop: loop)
      container = WalletContainer(
        shared, secrets: secrets, loop: loop, clock: clock, journal: journal, completion: completion)
      wire = WalletWire(secrets: secrets, loop: loop, journal: journal, peer: options.peer)
      invoices = InvoiceMaker(secrets: secrets, clock: clock, peer: options.peer?.node)
      cleaner = JournalCleaner(directory: options.journal)
      tidier = JournalCleaner(directory: options.journal)
      terminalPhone = TerminalPhone(role: name, wallet: options.wallet)
      emulatedPhone = channel.flatMap { [loop] in
        EmulatedPhone(channel: $0, loop: loop, wallet: options.wallet)
      }
      var node = options.node
      node.fundingKey = CurvePoint(secrets.nodeKey.publicKey)
      node.pushKey = pushKey.map { CurvePoint($0.publicKey) }
      runner = WalletJournal<Machine>.runner(
        options.guardConfiguration, node, emulatedPhone == nil ? nil : background,
        completes: completion != nil, loop: loop, clock: clock,
        journal: journal, onSentEnd: { [emulatedPhone] in emulatedPhone?.send(ControlMessage("sent-end")) },
        carryOutAll: { [unowned self] directives in for directive in directives { carryOut(directive) } }
      )
    } catch {
      Self.end(Self.ending(of: error), "\(error)", telling: channel)
    }
    connectPorts()
  }

  private func connectPorts() {
    container.onEvent = { [unowned self] in runner.handle($0) }
    wire.onEvent = { [unowned self] in runner.handle(.node($0)) }
    wire.channel = { [unowned self] in runner.core.node.durableChannel }
    wire.tweak = { [unowned self] in container.tweak(of: $0) }
    presence.onMessage = { [unowned self] in handle(.presenceHeard($0)) }
    presence.onPartnerEnded = { [unowned self] in handle(.partnerEnded) }
  }

  /// Before the seed is read; the container checks its own directory.
  private static func checkDirectories(_ options: WalletOptions, telling channel: Int32?) {
    do throws(SystemError) {
      for directory in [options.keychain, options.journal] { try OwnHome.makeDirectory(directory) }
    } catch { end((.cannotCreate, .failed), error.description, telling: channel) }
  }

  /// For an LSP that waits for the wallet's node id; one that knows this wallet does not need it.
  private static func tellNodeID(_ node: PublicKey, in directory: String, _ journal: Journal) {
    do { try NodeIDFile.write(node, to: "\(directory)/wallet-node") } catch {
      journal.note("this wallet's node id cannot be written for the peer: \(error)")
    }
  }

  private static func ending(of error: any Error) -> (ExitCode, WalletEnding) {
    switch error {
    case is ContainerError: (.cannotCreate, .containerUnusable)
    case KeychainError.withheld: (.badConfiguration, .seedWithheld)
    case KeychainError.noWallet: (.badConfiguration, .noWallet)
    case is KeychainError, is SecretFileError: (.badConfiguration, .seedUnusable)
    default: (.inputOutputError, .failed)
    }
  }

  /// iosd reports the reason, not our standard error.
  private static func end(
    _ how: (code: ExitCode, word: WalletEnding), _ sentence: String, telling channel: Int32?
  ) -> Never {
    if let channel, let packet = try? PhoneMessages.ending(how.word, sentence).encoded() {
      send(channel, packet, packet.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
    }
    exitWithSentence(how.code, sentence)
  }

  public var isOnEmulatedPhone: Bool { emulatedPhone != nil }

  /// Returns when the process is to end.
  public func run(afterLaunch: () -> Void) {
    do {
      try listen()
      if let emulatedPhone {
        emulatedPhone.onMessage = { [unowned self] in told($0) }
        emulatedPhone.onEnd = { [unowned self] in lostPhone($0) }
        fault?.delayLaunch()
        emulatedPhone.start(role: Machine.role, pid: getpid())
        if Machine.role == .app { emulatedPhone.send(WalletNotifications.categories) }
      }
      handle(.launched)
      afterLaunch()
      for message in earlier { told(message) }
      earlier = []
      try loop.run()
    } catch { exitWithSentence(.inputOutputError, "\(error)") }
    presence.shutDown()
    if let loss = container.loss { exitWithSentence(.inputOutputError, "\(loss)") }
  }

  private func listen() throws {
    for number in [SIGTERM, SIGINT] {
      try loop.onSignal(number) { [unowned self] in handle(.terminationRequested) }
    }
    presence.onFlood = { [journal] in
      journal.note("presence messages come faster than they are handled: only the newest in 50 ms counts")
    }
    do throws(UnixListenerError) {
      try presence.listen()
    } catch { journal.note("the other process cannot reach this one by presence messages: \(error)") }
  }

  public func handle(_ event: GuardEvent) { runner.handle(.guardrail(event)) }

  public func onSignal(_ number: Int32, _ event: GuardEvent) throws(SystemError) {
    try loop.onSignal(number) { [unowned self] in handle(event) }
  }

  // MARK: Pushes given by hand

  /// Serves these payloads one after the other, then ends.
  public func serve(payloads: [[UInt8]]) {
    var open = payloads.count
    terminalPhone.onFinished = { [unowned self] _ in
      open -= 1
      if open == 0 { handle(.terminationRequested) }
    }
    for (index, payload) in payloads.enumerated() {
      handle(.pushArrived(PushReader.read(payload, id: UInt64(index + 1), as: wallet.pushForm)))
    }
  }

  // MARK: Orders

  private func carryOut(_ directive: WalletDirective) {
    switch directive {
    case .container(let order): container.carryOut(order)
    case .wire(let order): wire.carryOut(order)
    case .phone(let order): carryOut(order)
    }
  }

  private func carryOut(_ order: PhoneOrder) {
    if let emulatedPhone { emulatedPhone.carryOut(order) } else { terminalPhone.carryOut(order) }
    switch order {
    case .guardrail(.say(let message)): presence.say(message)
    case .guardrail(.noteFailure(let failure)):
      journal.note("Background HTLC processing failed: \(failure.text)")
    case .makeInvoice(let request, let amountMsat, let text, let expirySeconds):
      runner.handle(
        .requests(makeInvoice(for: request, amountMsat: amountMsat, text: text, expirySeconds: expirySeconds))
      )
    case .answer(let request, let answer):
      emulatedPhone?.answer(request, answer.message(signed: invoices.takeSigned(for: request)))
    case .cleanUp(let run): runner.handle(.background(.stepDone(run: run, cleaner.step())))
    case .complete(let task, _, let isSuccess, let sentence):
      journal.note(
        "the background task \(task.identifier) is \(isSuccess ? "done" : "not done"): \(sentence)")
    case .tidyJournals: runner.handle(.opening(.stepDone(.journals, tidier.step())))
    case .guardrail(.end(let reason)): ended(reason)
    case .guardrail, .showScreen, .copy, .answerPress, .notify, .withdrawAnnouncement, .submit, .playAudio,
      .stopAudio:
      break
    }
  }

  private func makeInvoice(
    for request: String, amountMsat: UInt64, text: String, expirySeconds: Int64
  ) -> RequestEvent {
    do throws(InvoiceError) {
      return .invoiceMade(
        request,
        try invoices.make(for: request, amountMsat: amountMsat, text: text, expirySeconds: expirySeconds))
    } catch { return .invoiceNotMade(request, error.description) }
  }

  // MARK: The emulated phone

  private func told(_ message: ControlMessage) {
    do throws(ControlMessageError) {
      switch message.verb {
      case "enter-foreground": handle(.enteredForeground)
      case "enter-background":
        emulatedPhone?.timeInBackground = message["time"]
        handle(.enteredBackground)
      case "network": handle(.networkChanged(isThere: try message.flag("there", default: true)))
      case "terminate": handle(.terminationRequested)
      case "push":
        fault?.trigger()
        var push = read(message.body, id: try PhoneMessages.id(of: message))
        let isSilent = try message.flag("silent", default: false)
        if isSilent { push.time = try Self.time(message) }
        handle(isSilent ? .silentPushArrived(push) : .pushArrived(push))
        if !isSilent { tell(push.announcement) }
      case "background-expiring": handle(.backgroundTimeExpired(task: try PhoneMessages.id(of: message)))
      case "time-will-expire": handle(.expiryWarned(push: try PhoneMessages.id(of: message)))
      case "notification-response": try respond(message)
      case "open-url": follow(try message.required("url"))
      case "memory-warning":
        journal.note("memory warning: SQLite freed \(container.releaseMemory()) bytes of its cache")
      case "task", "task-will-expire", "task-refused", "task-submitted": try toldOfTask(message)
      case "audio-refused":
        journal.note("the audio does not play: \(message["message"] ?? "the phone gives no reason")")
      case "audio-plays", "audio-interrupted", "audio-ended":
        journal.note("the phone reports \(message.verb)")
      case "ask": ask(try message.required("request"), message)
      default: journal.note("the phone sent an unknown message: \(message.verb)")
      }
    } catch { journal.note("the phone's message \(message.verb) cannot be read: \(error)") }
  }

  /// A user's request, which the phone passes on unread.
  private func ask(_ id: String, _ message: ControlMessage) {
    do {
      let asked = try ControlMessage(decoding: message.body)
      if asked.verb == ScreenButton.verb, container.completion != nil {
        return runner.handle(.incoming(.pressed(id, try ScreenButton(asked))))
      }
      let request = try Request(asked, from: invoices.wallet, atWallSeconds: invoices.wallSeconds)
      runner.handle(.requests(.asked(id, request)))
    } catch { emulatedPhone?.answer(id, .error("\(error)")) }
  }

  private func toldOfTask(_ message: ControlMessage) throws(ControlMessageError) {
    let identifier = try message.required("identifier")
    switch message.verb {
    case "task":
      let run = try message.integer("run", in: 0...UInt64.max)
      guard let task = BackgroundTask(identifier: identifier) else {
        return journal.note("the phone started an unknown task: \(identifier)")
      }
      runner.handle(.background(.runBegan(task, run: run)))
    case "task-will-expire":
      runner.handle(.background(.runExpires(run: try message.integer("run", in: 0...UInt64.max))))
    case "task-refused":
      journal.note("Failed to schedule background task: \(message["message"] ?? "the phone gives no reason")")
    default: break
    }
  }

  /// The response changes nothing else: the app opens as usual, and the guard gets its own event for that.
  private func respond(_ message: ControlMessage) throws(ControlMessageError) {
    let id = try PhoneMessages.id(of: message)
    switch try message.required("action") {
    case "dismiss": journal.note("notification \(id) was dismissed")
    case let action:
      journal.note("reason=notification action=\(action) id=\(id)")
      tell(read(message.body, id: id).announcement)
    }
    emulatedPhone?.send(ControlMessage("response-done", ["id": "\(id)"]))
  }

  private func read(_ body: [UInt8], id: UInt64) -> Push {
    PushReader.read(body, id: id, as: wallet.pushForm) { [container, pushKey] sealed in
      pushKey.flatMap { container.completion?.open(sealed, with: $0) }
    }
  }

  private func tell(_ announcement: Announcement?) {
    guard container.completion != nil else { return }
    runner.handle(.incoming(.told(announcement, atWallSeconds: invoices.wallSeconds)))
  }

  private func follow(_ link: String) {
    guard let page = AppPage(link: link) else {
      return journal.note(
        "the app has no page for the link \(link.onOneLine.prefix(64)), and shows what it showed")
    }
    journal.note("opened by a link to its page \(page.rawValue)")
    runner.handle(.incoming(.linkFollowed(page)))
  }

  /// Without the phone no message could send the app home or end it, so it would hold the node for ever.
  private func lostPhone(_ why: String) {
    journal.note("the phone is gone: \(why)")
    handle(.terminationRequested)
  }

  /// nil without a time limit.
  private static func time(_ message: ControlMessage) throws(ControlMessageError) -> TimeSpan? {
    let milliseconds = try message.integerIfPresent("deadline-ms", in: 0...Int64.max / 1_000_000) ?? 0
    return milliseconds > 0 ? .milliseconds(milliseconds) : nil
  }

  private func ended(_ reason: EndReason) {
    journal.recordEnd(reason: reason.text)
    let words = container.loss.map { "\($0)" } ?? reason.text
    emulatedPhone?.send(PhoneMessages.ending(WalletEnding(reason), words))
    loop.stop()
  }
}

/// Fault injection: a transaction that has read, and is not finished as long as the process lives. iOS counts it as a
/// lock when it suspends the process.
final class OpenRead {
  private let connection: Connection

  init(database: String) throws {
    connection = try Connection(path: database, access: .readOnly)
    try connection.script("BEGIN; SELECT count(*) FROM sqlite_schema")
  }
}

/// Replaces the phone when a process is started by hand: prints the orders.
final class TerminalPhone {
  private let role: String
  private let wallet: WalletProfile
  var onFinished: ((UInt64) -> Void)?

  init(role: String, wallet: WalletProfile) {
    self.role = role
    self.wallet = wallet
  }

  func carryOut(_ order: PhoneOrder) {
    switch order {
    case .guardrail(.show(let status)):
      let epoch = status.epoch.map { " (epoch \($0))" } ?? ""
      printLine("\(role): \(status.text)\(epoch)")
    case .guardrail(.deliver(let push, let outcome)):
      printLine(TerminalLines.delivered(push: push, NotificationContent(outcome, of: wallet), by: role))
    case .notify(let payment, _):
      let content = NotificationContent(payment)
      printLine("\(role): notification: \(content.title): \(content.body)")
    case .guardrail(.finished(let push, let reason)):
      printLine(TerminalLines.finished(push: push, reason, by: role))
      onFinished?(push)
    case .guardrail(.endBackgroundTask): printLine("\(role): everything is released")
    case .guardrail(.end(let reason)): printLine("\(role): \(reason.text)")
    case .showScreen(let screen): printLine("\(role): shows “\(screen.text)”")
    case .copy(let text): printLine("\(role): copies “\(text)”")
    case .guardrail, .answerPress, .tidyJournals, .withdrawAnnouncement, .makeInvoice, .answer, .submit,
      .complete, .playAudio, .stopAudio, .cleanUp:
      break
    }
  }
}

/// Records each part of the wallet as a core of its own, in the order in which they handled their events: each can be
/// replayed alone, and readers and the judge see each part's work.
struct WalletJournal<Guard: GuardMachine & WalletGuard>: WalletObserver {
  let journal: Journal
  let now: Instant
  let onSentEnd: () -> Void

  func handled(_ record: PartRecord, _: Guard, _: NodeMachine) {
    switch record {
    case .guardrail(let event, let directives):
      journal.record(Guard.self, event: event, at: now, directives: directives)
    case .node(let event, let directives):
      journal.record(NodeMachine.self, event: event, at: now, directives: directives)
      if directives.contains(where: \.isSentEnd) { onSentEnd() }
    case .requests(let event, let directives):
      journal.record(Requests.self, event: event, at: now, directives: directives)
    case .background(let event, let directives):
      journal.record(BackgroundWork.self, event: event, at: now, directives: directives)
    case .incoming(let event, let directives):
      journal.record(IncomingPayments.self, event: event, at: now, directives: directives)
    case .opening(let event, let directives):
      journal.record(Opening.self, event: event, at: now, directives: directives)
    }
  }

  /// Runs a wallet and journals it.
  static func runner(
    _ configuration: GuardConfiguration, _ node: NodeMachine.Configuration, _ habits: BackgroundWork.Habits?,
    completes: Bool = false, loop: EventLoop, clock: Clock, journal: Journal,
    onSentEnd: @escaping () -> Void, carryOutAll: @escaping ([WalletDirective]) -> Void
  ) -> CoreRunner<WalletMachine<Guard>> {
    journal.record(NodeMachine.self, configuration: node)
    journal.record(Guard.self, configuration: configuration)
    journal.record(Requests.self, configuration: Requests.Configuration())
    if habits != nil { journal.record(BackgroundWork.self, configuration: habits) }
    if completes {
      journal.record(IncomingPayments.self, configuration: IncomingPayments.Configuration())
      journal.record(Opening.self, configuration: Opening.Configuration())
    }
    let wallet = WalletMachine(
      guardrail: Guard(configuration: configuration), node: node, background: habits, completes: completes)
    return CoreRunner(
      wallet, loop: loop, clock: clock,
      think: { wallet, event, now in
        var observer = WalletJournal(journal: journal, now: now, onSentEnd: onSentEnd)
        return wallet.handle(event, at: now, &observer)
      }, carryOutAll: carryOutAll)
  }
}

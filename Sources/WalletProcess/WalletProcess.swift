import Ground
import Crypto
import DaemonRuntime
import Glibc
import Guardrails
import Lightning
import PeerTransport
import SharedContainer
import WalletStore

/// One wallet process, from its command line to its end.
public final class WalletProcess<Machine: GuardMachine> {
  private let loop: EventLoop
  private let clock: Clock
  private let journal: Journal
  private let presence: PresenceLink
  private let emulatedPhone: EmulatedPhone?
  private let terminalPhone: TerminalPhone
  private let guardShell: GuardShell<Machine>
  private let invoices: InvoiceDesk
  private let payments: PaymentDesk
  private let splices: SpliceDesk
  private let restores = RestoreDesk()
  private let container: SharedContainer
  private let journalDirectory: String
  /// The app's alone.
  private var background: WalletBackground?
  /// What is to go wrong with each push.
  public var fault: ExtensionFault?
  /// What the phone said before the loop ran.
  private var earlier: [ControlMessage] = []
  /// Made with the first push: most lives of the app see none.
  private lazy var pushReader = PushReader()

  /// Ends the process with one sentence when something it cannot do without is missing.
  public init(_ options: WalletOptions) {
    CrashTraces.withholdMemory()
    let name = Machine.role.processName
    let channel = ParentChannel.take()
    Self.checkDirectories(options, telling: channel)
    do {
      let keychain = PhoneKeychain(channel: channel, options)
      try keychain?.ask()
      // First of all the container: its locks must have lower descriptors than any socket of the node.
      let container = try SharedContainer.open(
        options.container, role: Machine.role, nodeSchema: WalletSchema.migrations)
      self.container = container
      journalDirectory = options.journal
      BusErrorEnd.install(database: container.layout.database, channel: channel)
      let secrets =
        try keychain.map {
          try WalletSecrets($0, movingFrom: options.keychain, walletIsNew: container.isNew)
        } ?? WalletSecrets(keychain: options.keychain, walletIsNew: container.isNew)
      earlier = keychain?.earlier ?? []
      loop = try EventLoop()
      clock = Clock(phoneClockFile: options.phoneClock)
      journal = try Journal(
        directory: options.journal, name: name, clock: clock, version: batonVersion,
        arguments: Array(CommandLine.arguments.dropFirst()))
      Self.tellNodeID(secrets.nodeKey.publicKey, in: options.keychain, journal)
      presence = PresenceLink(directory: container.layout.presence, role: Machine.role, loop: loop)
      var configuration = options.node
      configuration.fundingKey = CurvePoint(secrets.nodeKey.publicKey)
      let node = NodeShell(
        container: container, secrets: secrets, loop: loop, clock: clock, journal: journal,
        peer: options.peer, configuration: configuration)
      terminalPhone = TerminalPhone(role: name)
      emulatedPhone = channel.flatMap { [loop] in EmulatedPhone(channel: $0, loop: loop) }
      guardShell = GuardShell(
        configuration: options.guardConfiguration, container: container, node: node, presence: presence,
        phone: emulatedPhone ?? terminalPhone, loop: loop, clock: clock, journal: journal)
      invoices = InvoiceDesk(secrets: secrets, node: node, clock: clock, peer: options.peer?.node)
      payments = PaymentDesk(wallet: secrets.nodeKey.publicKey, node: node, clock: clock)
      splices = SpliceDesk(node: node)
    } catch {
      Self.end(Self.code(of: error), "\(error)", telling: channel)
    }
  }

  /// Before the seed is asked for; the container looks after itself.
  private static func checkDirectories(_ options: WalletOptions, telling channel: Int32?) {
    do throws(SystemError) {
      for directory in [options.keychain, options.journal] { try OwnHome.makeDirectory(directory) }
    } catch { end(.cannotCreate, error.description, telling: channel) }
  }

  /// For a peer that waits to be told whose channel it is; one that has known this wallet does without.
  private static func tellNodeID(_ node: PublicKey, in directory: String, _ journal: Journal) {
    do { try NodeIDFile.write(node, to: "\(directory)/wallet-node") } catch {
      journal.note("the peer cannot be told who this wallet is: \(error)")
    }
  }

  private static func code(of error: any Error) -> ExitCode {
    switch error {
    case is ContainerError: .cannotCreate
    case is KeychainError, is SecretFileError: .badConfiguration
    default: .inputOutputError
    }
  }

  /// Whoever looks for the reason looks at the phone, not at our standard error.
  private static func end(_ code: ExitCode, _ sentence: String, telling channel: Int32?) -> Never {
    if let channel, let packet = try? ControlMessage("ending", ["reason": sentence]).encoded() {
      send(channel, packet, packet.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
    }
    exitWithSentence(code, sentence)
  }

  public var isOnEmulatedPhone: Bool { emulatedPhone != nil }

  /// Returns when the process is to end.
  public func run(afterLaunch: () -> Void) {
    do {
      try listen()
      if let emulatedPhone {
        emulatedPhone.onMessage = { [unowned self] in told($0) }
        emulatedPhone.onEnd = { [unowned self] in lostPhone($0) }
        invoices.onAnswer = { emulatedPhone.send($0) }
        payments.onAnswer = { emulatedPhone.send($0) }
        invoices.status = { emulatedPhone.status }
        payments.status = { emulatedPhone.status }
        payments.onTask = { [unowned self] in handle($0) }
        splices.onAnswer = { emulatedPhone.send($0) }
        splices.status = { emulatedPhone.status }
        splices.onTask = { [unowned self] in handle($0) }
        restores.onAnswer = { emulatedPhone.send($0) }
        restores.status = { emulatedPhone.status }
        restores.onWish = { [unowned self] in handle(.moveRequested) }
        guardShell.onStatus = { [unowned self] in restores.showed($0) }
        guardShell.onMove = { [unowned self] in restores.moves() }
        emulatedPhone.start(role: Machine.role.rawValue, pid: getpid())
        if Machine.role == .app { emulatedPhone.send(WalletNotifications.categories) }
      }
      handle(.launched)
      afterLaunch()
      for message in earlier { told(message) }
      earlier = []
      try loop.run()
    } catch { exitWithSentence(.inputOutputError, "\(error)") }
    presence.shutDown()
    if let loss = guardShell.loss { exitWithSentence(.inputOutputError, "\(loss)") }
  }

  private func listen() throws {
    for number in [SIGTERM, SIGINT] {
      try loop.onSignal(number) { [unowned self] in handle(.terminationRequested) }
    }
    guardShell.onEnd = { [unowned self] in ended($0) }
    presence.onFlood = { [journal] in
      journal.note("presence comes faster than it is listened to: of what comes in 50 ms the newest counts")
    }
    do throws(UnixListenerError) {
      try presence.listen()
    } catch { journal.note("the other process cannot reach this one by presence messages: \(error)") }
  }

  /// What the app does in the background; the extension has no such life.
  public func workInBackground(cleansJournals: Bool, keepsAwakeByAudio: Bool) {
    guard let emulatedPhone else { return }
    background = WalletBackground(
      container: container, clock: clock, journal: journal, journals: journalDirectory, loop: loop,
      cleansJournals: cleansJournals, keepsAwakeByAudio: keepsAwakeByAudio
    ) { emulatedPhone.send($0) }
  }

  public func handle(_ event: GuardEvent) { guardShell.handle(event) }

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
      handle(.pushArrived(pushReader.read(payload, id: UInt64(index + 1))))
    }
  }

  // MARK: The emulated phone

  private func told(_ message: ControlMessage) {
    do throws(ControlMessageError) {
      try background?.told(message)
      switch message.verb {
      case "enter-foreground":
        handle(.enteredForeground)
        guardShell.personCame()
      case "enter-background":
        emulatedPhone?.timeInBackground = message["time"]
        handle(.enteredBackground)
      case "network":
        let isThere = try message.flag("there", default: true)
        guardShell.networkChanged(isThere: isThere)
      case "terminate": handle(.terminationRequested)
      case "push":
        fault?.strike()
        var push = pushReader.read(message.body, id: try Self.id(message))
        let isSilent = try message.flag("silent", default: false)
        if isSilent { push.time = try Self.time(message) }
        handle(isSilent ? .silentPushArrived(push) : .pushArrived(push))
      case "background-expiring": handle(.backgroundTimeExpired(task: try Self.id(message)))
      case "time-will-expire": handle(.expiryWarned(push: try Self.id(message)))
      case "notification-response": try respond(message)
      case "invoice": invoices.asked(message)
      case "send": payments.asked(message)
      // What is half-way the extension ends as well, but only a person begins one.
      case "withdraw" where Machine.role == .app: splices.asked(message)
      case "restore" where Machine.role == .app: restores.asked(message)
      case let verb where verb.hasPrefix("task") || verb.hasPrefix("audio-") || verb == "memory-warning":
        break
      default: journal.note("the phone said something unknown: \(message.verb)")
      }
    } catch { journal.note("the phone said \(message.verb), and it cannot be read: \(error)") }
  }

  /// What the wallet shows then, it shows anyway: the node is the guard's, which hears of the front by itself.
  private func respond(_ message: ControlMessage) throws(ControlMessageError) {
    let id = try Self.id(message)
    switch try message.required("action") {
    case "dismiss": journal.note("notification \(id) was dismissed")
    case let action: journal.note("reason=notification action=\(action) id=\(id)")
    }
    emulatedPhone?.send(ControlMessage("response-done", ["id": "\(id)"]))
  }

  /// Nobody could send it home or end it any more, so it would hold the node for ever.
  private func lostPhone(_ why: String) {
    journal.note("the phone is gone: \(why)")
    handle(.terminationRequested)
  }

  private static func id(_ message: ControlMessage) throws(ControlMessageError) -> UInt64 {
    try message.integer("id", in: 0...UInt64.max)
  }

  /// Nil: none runs.
  private static func time(_ message: ControlMessage) throws(ControlMessageError) -> TimeSpan? {
    let milliseconds = try message.integerIfPresent("deadline-ms", in: 0...Int64.max / 1_000_000) ?? 0
    return milliseconds > 0 ? .milliseconds(milliseconds) : nil
  }

  private func ended(_ reason: EndReason) {
    journal.recordEnd(reason: reason.rawValue)
    if emulatedPhone == nil { printLine("\(Machine.role.processName): \(reason.rawValue)") }
    let words = guardShell.loss.map { "\($0)" } ?? reason.rawValue
    emulatedPhone?.send(ControlMessage("ending", ["reason": words]))
    loop.stop()
  }
}

import Crypto
import DaemonRuntime
import Glibc
import Ground
import Guardrails

/// The extension, from its command line to its end. Whatever is missing, it starts, and each push gets its text.
final class NotifyProcess {
  private static let role = Role.extension
  private static let name = "notifyonlyd"

  private let options: NotifyOptions
  private let loop: EventLoop
  private let clock: Clock
  /// nil if it cannot be written: a text matters more.
  private let journal: Journal?
  private let store: IncomingStore
  /// Writes the records: a slow disk must not keep the loop from the end of the guard's patience.
  private let disk: SideThread
  private let phone: UnixConnection?
  private var desk: CoreRunner<PushDesk>!
  private var guardrail: CoreRunner<TellingExtensionMachine>!
  private var key: PushKey?
  /// Pushes that are not read yet, and those that the desk has kept.
  private var payloads: [UInt64: [UInt8]] = [:]
  private var kept: [UInt64: [UInt8]] = [:]
  /// Started by hand: pushes without a text.
  private var open = 0

  init(_ options: NotifyOptions) {
    CrashTraces.withholdMemory()
    self.options = options
    let channel = ParentChannel.take()
    store = IncomingStore(container: options.container)
    BusErrorEnd.install(database: store.path, channel: channel)
    clock = Clock(phoneClockFile: options.phoneClock)
    do { loop = try EventLoop() } catch { exitWithSentence(.inputOutputError, "\(error)") }
    disk = SideThread(loop: loop)
    journal = Self.journal(options, clock)
    phone = channel.flatMap { [loop] in UnixConnection(adopting: $0, loop: loop) }
    desk = CoreRunner(configuration: PushDesk.Configuration(), loop: loop, clock: clock, journal: journal) {
      [unowned self] in carryOut($0)
    }
    guardrail = CoreRunner(configuration: GuardConfiguration(), loop: loop, clock: clock, journal: journal) {
      [unowned self] in carryOut($0)
    }
  }

  private static func journal(_ options: NotifyOptions, _ clock: Clock) -> Journal? {
    do throws(SystemError) {
      return try Journal(
        directory: options.journal, name: name, clock: clock, version: batonVersion,
        arguments: Array(TypedArguments.words.dropFirst()))
    } catch {
      writeAll(standardError, Array("\(name): there is no journal: \(error)\n".utf8))
      return nil
    }
  }

  var isOnPhone: Bool { phone != nil }

  /// Returns when the process is to end.
  func run(payloads: [[UInt8]]) {
    do throws(SystemError) {
      for number in [SIGTERM, SIGINT] { try loop.onSignal(number) { [unowned self] in terminate() } }
      if let phone {
        phone.takesSecret = { [unowned self] in takesKey(&$0) }
        phone.onMessage = { [unowned self] in told($0) }
        phone.onEnd = { [unowned self] in
          note("the phone is gone: \($0)")
          terminate()
        }
        options.fault?.delayLaunch()
        phone.start()
        phone.send(PhoneMessages.hello(Self.role, pid: getpid()))
      }
      guardrail.handle(.launched)
      desk.handle(.launched)
      open = payloads.count
      for (index, payload) in payloads.enumerated() { arrived(payload, id: UInt64(index + 1)) }
      try loop.run()
      // A record that is being written as the process ends is not cut off, unless the disk is very slow.
      disk.finish(within: TellingExtensionMachine.storeTime)
    } catch { exitWithSentence(.inputOutputError, "\(error)") }
  }

  // MARK: The phone

  private func told(_ message: ControlMessage) {
    do throws(ControlMessageError) {
      switch message.verb {
      case "push":
        options.fault?.trigger()
        arrived(message.body, id: try PhoneMessages.id(of: message))
      case "time-will-expire":
        let push = try PhoneMessages.id(of: message)
        desk.handle(.expiryWarned(push: push))
        guardrail.handle(.expiryWarned(push: push))
      case "terminate": terminate()
      case "keychain-refused":
        switch item?.answer(in: message) {
        case .withheld(let sentence): takeLater(.withheld(sentence))
        case .missing: takeLater(.missing)
        case .found, nil: return
        }
      // It keeps next to nothing.
      case "memory-warning": note("memory warning")
      default: note("the phone sent an unknown message: \(message.verb)")
      }
    } catch { note("the phone's message \(message.verb) cannot be read: \(error)") }
  }

  private func terminate() {
    desk.handle(.terminationRequested)
    guardrail.handle(.terminationRequested)
  }

  private func arrived(_ payload: [UInt8], id: UInt64) {
    payloads[id] = payload
    desk.handle(.pushArrived(id, isSealed: PushReader.isSealed(payload)))
  }

  // MARK: The key

  private var item: KeychainItem? {
    options.keychainGroup.map { KeychainItem(group: $0, account: KeychainItem.pushKey) }
  }

  /// The key moves into locked memory before anything else happens to the message.
  private func takesKey(_ message: inout ControlMessage) -> Bool {
    guard let item, item.isGiven(in: message) else { return false }
    takeLater(PushKey.Answer(taking: &message.body))
    return true
  }

  private func takeLater(_ answer: PushKey.Answer) {
    afterFault(options.keychainDelay) { [unowned self] in take(answer) }
  }

  private func take(_ answer: PushKey.Answer) {
    switch answer {
    case .found(let found):
      key = found
      desk.handle(.keyFound)
    case .noKey:
      key = nil
      note("the key for pushes is no key: make the wallet's keys anew")
      desk.handle(.keyMissing)
    case .missing: desk.handle(.keyMissing)
    case .withheld(let sentence): desk.handle(.keyWithheld(sentence))
    }
  }

  private func carryOut(_ directive: PushDesk.Directive) {
    switch directive {
    case .askForKey:
      if let phone, let item {
        phone.send(item.read)
      } else {
        take(PushKey.answer(ofFileIn: options.keychain))
      }
    case .read(let id, let withKey): read(id, withKey)
    case .keep(let id): kept[id] = payloads[id]
    case .record(let id): readKept(id)
    case .drop(let id): kept[id] = nil
    }
  }

  private func read(_ id: UInt64, _ withKey: Bool) {
    guard let payload = payloads[id] else { return }
    let (push, isOpened) = read(payload, id, withKey)
    if withKey && !isOpened { return desk.handle(.notOpened(push: id)) }
    payloads[id] = nil
    guardrail.handle(.pushArrived(push))
  }

  private func readKept(_ id: UInt64) {
    guard let payload = kept.removeValue(forKey: id) else { return }
    guardrail.handle(.toldPushRead(read(payload, id, true).push))
  }

  /// A push without a sealed payload counts as opened.
  private func read(_ payload: [UInt8], _ id: UInt64, _ withKey: Bool) -> (push: Push, isOpened: Bool) {
    var isOpened = true
    let push = PushReader.read(payload, id: id, as: options.wallet.pushForm) { members in
      delayOpening()
      let plain = withKey ? open(members, id) : nil
      isOpened = plain != nil
      return plain
    }
    return (push, isOpened)
  }

  private func open(_ members: SealedMembers, _ id: UInt64) -> [UInt8]? {
    do throws(SealError) { return try key?.open(members) } catch {
      note("push \(id) cannot be opened: \(error)")
      return nil
    }
  }

  // MARK: The guard's orders

  private func carryOut(_ directive: GuardDirective) {
    switch directive {
    case .wallet(.storeIncoming(let record, let push)): store(record, push)
    case .phone(.deliver(let push, let outcome)):
      phone?.send(PhoneMessages.content(ofPush: push, outcome, options.wallet))
      show(
        TerminalLines.delivered(push: push, NotificationContent(outcome, of: options.wallet), by: Self.name))
    case .phone(.finished(let push, let reason)):
      phone?.send(PhoneMessages.finished(push: push, reason))
      show(TerminalLines.finished(push: push, reason, by: Self.name))
      open -= 1
      if !isOnPhone && open == 0 { loop.post { [unowned self] in terminate() } }
    case .phone(.show(let status)): note(status.text)
    case .phone(.end(let reason)):
      journal?.recordEnd(reason: reason.text)
      phone?.send(PhoneMessages.ending(WalletEnding(reason), reason.text))
      show("\(Self.name): \(reason.text)")
      loop.stop()
    // This guard has no others.
    default: break
    }
  }

  /// The guard may have told the push without its record when the answer comes.
  private func store(_ record: IncomingRecord, _ push: UInt64) {
    let (store, seconds, delay) = (store, clock.wallNanoseconds / 1_000_000_000, options.storeDelay)
    do throws(SystemError) {
      try disk.perform {
        if delay > .zero { poll(nil, 0, Int32(clamping: delay.wholeMilliseconds)) }
        return Self.add(record, of: push, to: store, arrivedAt: seconds)
      } then: { [unowned self] (event, remark) in
        if let remark { note(remark) }
        guardrail.handle(event)
      }
    } catch { guardrail.handle(.incomingNotStored(.failed("\(error)"), push: push)) }
  }

  private static func add(
    _ record: IncomingRecord, of push: UInt64, to store: IncomingStore, arrivedAt seconds: Int64
  ) -> (GuardEvent, remark: String?) {
    do throws(IncomingStoreError) {
      let remark = try store.add(record, arrivedAt: seconds)
      return (.incomingStored(push: push), remark)
    } catch { return (.incomingNotStored(error.trouble, push: push), nil) }
  }

  // MARK: Words and faults

  private func note(_ text: String) { journal?.note(text) }

  private func show(_ line: String) { if !isOnPhone { printLine(line) } }

  private func afterFault(_ longest: TimeSpan, _ work: @escaping () -> Void) {
    guard longest > .zero else { return work() }
    _ = loop.after(.milliseconds(Int64.random(in: 0...longest.wholeMilliseconds)), work)
  }

  /// As slow as a processor under load: nothing else happens meanwhile.
  private func delayOpening() {
    guard options.openDelay > .zero else { return }
    poll(nil, 0, Int32(clamping: Int64.random(in: 0...options.openDelay.wholeMilliseconds)))
  }
}

/// The wallet's private key for its pushes, once it was read. It stays in this process, and there in locked memory alone:
/// what brought it is overwritten.
struct PushKey {
  /// Of the phone's keychain, or of the file.
  enum Answer {
    case found(PushKey)
    /// There is an item, and it is no key.
    case noKey
    case missing
    /// With the reason.
    case withheld(String)

    /// The bytes are overwritten, unless another array shares them.
    init(taking bytes: inout [UInt8]) {
      guard bytes.count == Bytes32.size, let key = PrivateKey(LockedSecret(taking: &bytes)) else {
        bytes.wipe()
        self = .noKey
        return
      }
      self = .found(PushKey(key: key))
    }
  }

  private let key: PrivateKey

  private init(key: PrivateKey) { self.key = key }

  /// Without a phone the key is a file, which the app makes.
  static func answer(ofFileIn directory: String) -> Answer {
    let file = SecretFile(path: "\(directory)/\(KeychainItem.pushKey)", size: Bytes32.size)
    do {
      guard var bytes = try file.read() else { return .missing }
      return Answer(taking: &bytes)
    } catch { return .withheld("\(error)") }
  }

  func open(_ members: SealedMembers) throws(SealError) -> [UInt8] {
    try PushSeal.open(
      SealedPayload(
        cipher: members.cipher, iv: members.iv, publicKey: members.publicKey, tag: members.tag), with: key)
  }
}

/// The command line of `notifyonlyd`.
struct NotifyOptions {
  var wallet: WalletProfile
  var container: String
  var keychain: String
  /// The access group of the key in the phone's keychain; nil when the key is a file.
  var keychainGroup: String?
  var journal: String
  var phoneClock: String?
  /// Injected faults: at most so long the keychain's answer and the opening of a payload are delayed, at random.
  var keychainDelay: TimeSpan
  var openDelay: TimeSpan
  /// So much longer each record takes to be stored, as on a slow disk.
  var storeDelay: TimeSpan
  var fault: ExtensionFault?

  private static let wallets = WalletProfile.all.filter { $0.extension == .telling }

  static let declarations: [OptionDeclaration] =
    [
      OptionDeclaration(
        "--wallet", value: .choice(wallets.map(\.name)), default: wallets.first?.name,
        help: "which wallet this is: the form of its pushes and its texts"),
      OptionDeclaration(
        "--push", value: .path("FILE"), mayRepeat: true,
        help: "started by hand: tell what this payload (.apns) announces, then end; several are told in order"
      ),
      OptionDeclaration(
        "--fault-keychain-delay", value: .span, default: "0s",
        help: "fault injection: delay each answer of the keychain by a random time up to this"),
      OptionDeclaration(
        "--fault-open-delay", value: .span, default: "0s",
        help: "fault injection: delay the opening of each payload by a random time up to this"),
      OptionDeclaration(
        "--fault-store-delay", value: .span, default: "0s",
        help: "fault injection: storing each announced payment takes so much longer, as on a slow disk"),
    ] + SettingsTable.options(of: .notifier)

  init(_ parsed: ParsedCommandLine) {
    wallet = parsed.text("--wallet").flatMap { WalletProfile(named: $0) } ?? .bitkit
    container = parsed.text("--container") ?? "AppGroup"
    keychain = parsed.text("--keychain") ?? "Keychain"
    keychainGroup = parsed.text("--keychain-group")
    journal = parsed.text("--journal") ?? "journal"
    phoneClock = parsed.text("--clock")
    keychainDelay = parsed.time("--fault-keychain-delay")
    openDelay = parsed.time("--fault-open-delay")
    storeDelay = parsed.time("--fault-store-delay")
    fault = ExtensionFault(parsed)
  }
}

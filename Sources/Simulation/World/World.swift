// Simulation: the shipped cores in virtual time, with injected faults. Pure: randomness comes from a seed or the
// explorer, and the same moves give the same world on any machine.

import Ground
import Guardrails
import Lightning
import Wallet
import LightningProvider
import PhonePolicy

/// A phone with its two wallet processes and its container, perhaps a second one with the same seed, the wallet's peer,
/// its user and the senders.
///
/// A value: `ready` lists the possible moves, `make` carries one out. It contains no randomness.
public struct World: Hashable, Sendable {
  public let settings: WorldSettings
  public internal(set) var clock = WorldClock()
  public internal(set) var lives = PerRole<Boxed<Life>?>(nil, nil)
  public package(set) var container: Boxed<Container>
  public internal(set) var phone: Phone
  public internal(set) var peer: Boxed<PeerMachine>
  var wires = Wires()
  var presenceQueue: [QueuedPresence] = []
  /// The device in hand: 0 or 1.
  var device: UInt8 = 0
  /// The other one, once the user has taken a second device.
  var otherDevice: Boxed<Device>?
  var moving = WorldMoving()
  /// The container that the peer serves; nil before the first claim.
  var fenced: ContainerID?
  /// The peer does not run: no dial and no request of a sender succeeds.
  public internal(set) var isPeerDown = false
  /// The peer handles an `init` for which the user has asked.
  var hearsOfAskedMove = false
  /// The peer was restarted before it had stored the newest backup, and has got none since.
  var hasLostBackup = false
  var phoneEvents: ArraySlice<PhoneEvent> = []
  var numbers: WorldNumbers

  // Requests of the user and of senders, and their results.
  var invoicing = WorldInvoices()
  var sending = WorldSends()
  var senders = WorldSenders()
  var splices = WorldSplices(World.newChannel)
  var pushing = WorldPushes()
  /// Not kept in an exploration, where equal states have had different pushes.
  var announcements = Unhashed(WorldAnnouncements())
  var opening = WorldOpening()
  /// The push whose notification the user has touched last.
  var touchedPush: UInt64?
  /// Time from the sender's request to the preimage.
  public internal(set) var settling = Waits()
  /// Completed runs of background tasks, over all app processes.
  var tasksCompleted = 0

  // Faults and violations.
  public internal(set) var storage = WorldStorage()
  var copies = WorldCopies()
  /// Until its holder's next beat a replaced lock looks free, which may displace a healthy owner.
  var lockReplacedAt: Instant?
  public internal(set) var violation: Violation?

  /// Counts, no state: not part of a state's identity.
  var suspensions = Unhashed(Suspensions())

  /// Nil with the shipped guards.
  var exclusion: AnyExclusion?

  /// Set when a step changed shared state since the last reset.
  package var hasEffect = Unhashed(false)

  /// Whether the story is recorded in `said`.
  public var isRecorded = false
  /// Lines of the story since `takeSaid`.
  public internal(set) var said: [Said] = []
  /// The stage transitions that the machines have taken.
  public internal(set) var ways = Ways()
  /// Events that made a core order something.
  public internal(set) var deliveredEvents: UInt64 = 0

  public init(settings: WorldSettings = WorldSettings()) {
    self.settings = settings
    numbers = WorldNumbers(reuses: settings.reusesNumbers)
    exclusion = settings.exclusion
    container = Boxed(Container(id: ContainerID(high: 0xC0, low: 1)))
    phone = Phone(configuration: settings.phone)
    peer = Boxed(
      PeerMachine(
        configuration: .init(
          isLegacy: settings.hasLegacyPeer, externalDelay: settings.externalDelay, rules: settings.rules,
          fundingKey: settings.splices ? Self.peerKey : nil, spliceDelay: settings.spliceDelay,
          storageDelay: settings.storageDelay, startedAt: Instant(nanoseconds: 0),
          state: PeerState(channel: Self.newChannel), pushStrategy: settings.pushStrategy)))
  }

  private static let newChannel: Channel = {
    let terms = ChannelTerms.standard
    let id = Bytes32([UInt8](repeating: 0x0C, count: 32)) ?? .zero
    guard
      let channel = try? Channel(
        id: id, localMsat: terms.providerMsat, remoteMsat: terms.walletMsat, isOpener: true)
    else { preconditionFailure("the standard terms make no valid channel") }
    return channel
  }()

  // MARK: Story and violations

  mutating func say(_ line: @autoclosure () -> Said) {
    if isRecorded { said.append(ofDevice(line())) }
  }

  /// The first device needs no name.
  func ofDevice(_ line: Said) -> Said { device == 0 ? line : .onSecondDevice(line) }

  public mutating func takeSaid() -> [Said] {
    defer { said = [] }
    return said
  }

  /// `sentence` nil: no violation.
  mutating func report(_ invariant: Invariant, _ sentence: String?) {
    guard let sentence, violation == nil, exclusion?.value.promises(invariant) ?? true else { return }
    let found = Violation(invariant: invariant, sentence: sentence)
    violation = found
    say(.violation(found))
  }

  // MARK: State

  public var now: Instant { clock.now }
  public var peerNow: Instant { clock.peerNow }
  package var boot: BootID { clock.boot }

  public var invoices: [WorldInvoice] { invoicing.all }
  public var payments: [WorldPayment] { invoicing.payments }
  public var sends: [WorldSend] { sending.all }
  /// Of incoming payments, if they try again.
  public var retryingSenders: [WorldSender] { senders.all }
  public var withdrawals: [WorldWithdrawal] { splices.withdrawals }
  public var pushes: [WorldPush] { pushing.visible }
  /// How long the user waited from opening the app to `connected`.
  public var connecting: Waits { opening.waits }

  public func life(_ role: Role) -> Life? { lives[role]?.value }

  func role(ofPid pid: Int32) -> Role? { lives.role(ofPid: pid) }

  var unpaidInvoices: [Int] { invoicing.unpaid }

  /// A presence message, or the notice of the other process's end, is in flight.
  public var hasQueuedPresence: Bool { !presenceQueue.isEmpty }

  var hasCopy: Bool { copies.kept != nil }

  /// The wallet has this payment, or had it before an old copy was restored.
  func isReceived(_ hash: Bytes32) -> Bool {
    if copies.forgotten.contains(hash) || container.value.has(hash) { return true }
    guard let other = otherDevice?.value else { return false }
    return other.copies.forgotten.contains(hash) || other.container.value.has(hash)
  }

  public var openWire: UInt64? { wires.all.first { !$0.isOverForPeer }?.id }

  /// The app is connected under its own claim, and no payment, splice or cancellation is pending.
  public var isSettled: Bool {
    appRuns(isSettling: false) && peer.value.state.payments.isEmpty && senders.areOver && areSendsOver
      && areSplicesOver && areCancelsAnswered && isLeftDeviceTold
  }

  /// No payment to the wallet is pending.
  var arePaymentsReceived: Bool { peer.value.state.payments.isEmpty }

  /// The app is connected under its own claim; `isSettling`: also with a payment pending.
  func appRuns(isSettling: Bool) -> Bool {
    guard let app = lives.app?.value else { return false }
    switch app.status {
    case .connected: break
    case .settling where isSettling: break
    default: return false
    }
    return exclusion != nil || container.value.isOwned(by: app.claim)
  }
}

/// The constants of a run.
public struct WorldSettings: Hashable, Sendable {
  public var guardConfiguration = GuardConfiguration()
  /// How the two processes exclude each other; nil: by the shipped guards.
  package var exclusion: AnyExclusion?
  public var phone = PhoneConfiguration()
  /// The wallet on the phone. Not part of a state's identity: it is the same in all states of a run.
  public var wallet: WalletProfile {
    get { profile.value }
    set { profile.value = newValue }
  }
  private var profile = Unhashed(WalletProfile.phoenix)
  /// As the peer's pushes are in that wallet's form.
  var pushStrategy: PushForm { wallet.pushForm }
  public var peerIsLegacy = false
  var hasLegacyPeer: Bool {
    peerIsLegacy || without.contains(.peerFencing)
  }
  /// The wallet can move between two devices: only a fencing peer tells them apart.
  public var allowsMoves: Bool { !hasLegacyPeer }
  /// How long the peer holds a payment for a wallet that is away.
  public var holdTime = TimeSpan.seconds(120)
  /// How senders react to a failed attempt. In explorations and stories they make one.
  public var retries = RetryPolicy.off
  /// What each sender that tries again can spend; nil: enough.
  public var sendersHaveMsat: UInt64?
  /// One question of a sender in four reaches no server of hints.
  public var losesHints = true
  /// How long an outgoing payment takes to its recipient.
  public var externalDelay = TimeSpan.zero
  /// Wallet and peer can splice. Not in explorations.
  public var splices = false
  /// How long the peer takes to sign a splice.
  public var spliceDelay = TimeSpan.zero
  /// The peer stores the wallet's backup at most once in this time.
  public var storageDelay = TimeSpan.zero
  /// How long the start of a node waits for something outside before it dials.
  public var startDelay = TimeSpan.zero
  /// How long the extension takes from its launch to its first message.
  public var extensionTakesToStart = TimeSpan.zero
  /// Processes that begin to read the database and never finish, as by mistake.
  public var openReads: Set<Role> = []
  /// How long an incomplete multi-part payment is held.
  public var multiPartWindow = TimeSpan.seconds(60)
  /// Rules that are removed, to see what breaks.
  public var without = Rules()
  /// Numbers of ended processes, connections and claims are reused, so that the same situation is the same value
  /// whatever came before it.
  public var reusesNumbers = false
  /// Limits of wallet and peer for each other's messages and silence.
  var rules = ConnectionRules.standard
  /// The peer sends a silent push after each visible one, for the app in the background.
  public var sendsSilentPushes = false
  /// One visible push in four cannot be read by an extension that only notifies.
  public var spoilsPayloads = false
  /// Background tasks that do not involve the node; nil: none. Stories and half of the runs have them, explorations
  /// do not.
  public var background: BackgroundWork.Habits?
  /// When the phone releases the wallet's seed.
  public var seedProtection = KeychainProtection.afterFirstUnlock

  public init() {}
}

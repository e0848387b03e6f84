// Simulation: the cores that ship, in a world of virtual time with every fault that the real one has. Pure: chance comes
// from a seed or from whoever explores, and the same moves give the same world on any machine.

import Ground
import Guardrails
import LightningWire
import LightningChannel
import LightningNode
import LightningProvider
import PhonePolicy
import Wallet

/// One phone with its two wallet processes, its container, its peer, its user and somebody who pays.
///
/// It is a value: `ready` says what can happen next, `make` lets one of it happen. Nothing in it is chosen by chance.
public struct World: Hashable, Sendable {
  public let settings: WorldSettings
  public internal(set) var clock = WorldClock()
  public internal(set) var lives = PerRole<Boxed<Life>?>(nil, nil)
  public internal(set) var container: Boxed<Container>
  public internal(set) var phone: Phone
  public internal(set) var peer: Boxed<PeerMachine>
  var wires = Wires()
  var letters: [Letter] = []
  var wordsForPhone: ArraySlice<PhoneEvent> = []
  var numbers: WorldNumbers

  // What people do with the wallet, and what they see of it.
  var invoicing = WorldInvoices()
  var sending = WorldSends()
  var splices = WorldSplices(World.newChannel)
  var pushing = WorldPushes()
  var opening = WorldOpening()
  /// From the sender's request to the preimage.
  public internal(set) var settling = Waits()
  /// Runs of background tasks, of all lives of the app.
  var tasksCompleted = 0

  // What has gone wrong, and what must not.
  public internal(set) var storage = WorldStorage()
  var copies = WorldCopies()
  /// Until its holder's next beat such a lock looks free, which may displace a healthy owner.
  var lockReplacedAt: Instant?
  public internal(set) var violation: Violation?

  /// Nil: the two processes keep apart as ours do.
  var others: Others?

  /// Something came of what was done since this was last cleared: it was more than a look.
  var hasEffect = Aside(false)

  /// Whether somebody listens: nothing is written down otherwise.
  public var isHeard = false
  /// What was said since it was last taken.
  public internal(set) var said: [Said] = []
  /// The ways that the machines have taken.
  public internal(set) var ways = Ways()
  /// Events that made a core order something.
  public internal(set) var deliveredEvents: UInt64 = 0

  public init(settings given: WorldSettings = WorldSettings()) {
    var settings = given
    settings.without.formUnion(settings.coordination.lacks)
    self.settings = settings
    numbers = WorldNumbers(reuses: settings.reusesNumbers)
    others = Others(settings.coordination)
    container = Boxed(Container(id: ContainerID(high: 0xC0, low: 1)))
    phone = Phone(configuration: settings.phone)
    peer = Boxed(
      PeerMachine(
        configuration: .init(
          isLegacy: settings.hasLegacyPeer, externalDelay: settings.externalDelay, rules: settings.rules,
          fundingKey: settings.splices ? Self.peerKey : nil, spliceDelay: settings.spliceDelay,
          startedAt: Instant(nanoseconds: 0), state: PeerState(channel: Self.newChannel))))
  }

  private static let newChannel: Channel = {
    let terms = ChannelTerms.standard
    let id = Bytes32([UInt8](repeating: 0x0C, count: 32)) ?? .zero
    guard
      let channel = try? Channel(
        id: id, localMsat: terms.providerMsat, remoteMsat: terms.walletMsat, isOpener: true)
    else { preconditionFailure("the standard terms make a sound channel") }
    return channel
  }()

  // MARK: What is said

  mutating func say(_ line: @autoclosure () -> Said) {
    if isHeard { said.append(line()) }
  }

  public mutating func takeSaid() -> [Said] {
    defer { said = [] }
    return said
  }

  /// Nil: nothing is wrong.
  mutating func report(_ invariant: Invariant, _ sentence: String?) {
    guard let sentence, violation == nil, settings.coordination.promises(invariant) else { return }
    let found = Violation(invariant: invariant, sentence: sentence)
    violation = found
    say(.violation(found))
  }

  // MARK: What is so

  public var now: Instant { clock.now }
  public var peerNow: Instant { clock.peerNow }
  var boot: BootID { clock.boot }

  public var invoices: [WorldInvoice] { invoicing.all }
  public var payments: [WorldPayment] { invoicing.payments }
  public var sends: [WorldSend] { sending.all }
  public var withdrawals: [WorldWithdrawal] { splices.withdrawals }
  public var pushes: [WorldPush] { pushing.visible }
  /// How long the user has waited for the app.
  public var connecting: Waits { opening.waits }

  public func life(_ role: Role) -> Life? { lives[role]?.value }

  func role(ofPid pid: Int32) -> Role? {
    if lives.app?.part({ $0.pointee.identity.pid }) == pid { return .app }
    return lives.notifier?.part { $0.pointee.identity.pid } == pid ? .extension : nil
  }

  var unpaidInvoices: [Int] { invoicing.unpaid }

  /// A presence message, or the notice of an end, is on its way.
  public var hasLetters: Bool { !letters.isEmpty }

  var hasCopy: Bool { copies.kept != nil }

  /// The wallet has this payment, or had it before an old copy was put back.
  func isReceived(_ hash: Bytes32) -> Bool {
    copies.forgotten.contains(hash) || container.value.received.contains { $0.invoice.paymentHash == hash }
  }

  public var someWire: UInt64? { wires.all.first { !$0.isOverForPeer }?.id }

  /// The app is connected under its own claim, and nothing waits any more.
  public var isSettled: Bool {
    appRuns(isSettling: false) && peer.value.state.payments.isEmpty && areSendsOver && areSplicesOver
      && areCancelsAnswered
  }

  /// Its claim is the one in force. Where there are no claims, whoever runs its node is one.
  func isOwner(_ life: Life) -> Bool { others != nil || container.value.isOwned(by: life.claim) }

  /// Connected under its own claim; and, if that may be, with a payment half-way.
  func appRuns(isSettling: Bool) -> Bool {
    guard let app = lives.app?.value else { return false }
    switch app.status {
    case .connected: break
    case .settling where isSettling: break
    default: return false
    }
    return isOwner(app)
  }
}

/// What stays the same through a run.
public struct WorldSettings: Hashable, Sendable {
  public var guardConfiguration = GuardConfiguration()
  /// How the two processes keep apart. Others than ours come with a peer that does not know epochs.
  public var coordination = Coordination.baton
  public var phone = PhoneConfiguration()
  public var peerIsLegacy = false
  var hasLegacyPeer: Bool {
    peerIsLegacy || without.contains(.peerFencing)
  }
  /// How long the peer holds a payment for a wallet that is away.
  public var holdTime = TimeSpan.seconds(120)
  /// How long a payment of the wallet's own takes to its recipient.
  public var externalDelay = TimeSpan.zero
  /// Wallet and peer splice. Explorations have no use for it.
  public var splices = false
  /// How long the peer takes to sign for one.
  public var spliceDelay = TimeSpan.zero
  /// How long the parts of a payment wait for the others.
  public var multiPartWindow = TimeSpan.seconds(60)
  /// Rules that are taken away, to see what they are for.
  public var without = Rules()
  /// Numbers of processes, connections and claims are used again when nobody knows them any more, so that the same
  /// situation is the same value whatever came before it.
  public var reusesNumbers = false
  /// What wallet and peer bear of each other.
  var rules = ConnectionRules.standard
  /// The peer sends a silent push after each visible one, for the app in the background.
  public var sendsSilentPushes = false
  /// Nil: the app asks the phone for nothing but the node's work. Stories and half of the runs have it; explorations do not, as
  /// it never touches the node.
  public var background: BackgroundWork.Habits?
  /// When the phone gives out the wallet's seed.
  public var seedProtection = KeychainProtection.afterFirstUnlock

  public init() {}
}

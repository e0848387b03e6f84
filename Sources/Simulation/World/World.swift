// Simulation: the cores that ship, in a world of virtual time with every fault that the real one has. Pure: chance comes
// from a seed or from whoever explores, and the same moves give the same world on any machine.

import Ground
import Guardrails
import Lightning
import PhonePolicy
import Wallet

/// One phone with its two wallet processes, its container, its peer, its person and somebody who pays.
///
/// It is a value: `ready` says what can happen next, `make` lets one of it happen. Nothing in it is chosen by chance.
public struct World: Hashable, Sendable {
  public let settings: WorldSettings
  /// The phone's running time, which is the clock of its processes.
  public internal(set) var now = Instant(nanoseconds: 0)
  /// The peer's clock: it goes on while the device sleeps.
  public internal(set) var peerNow = Instant(nanoseconds: 0)
  public internal(set) var lives = PerRole<Boxed<Life>?>(nil, nil)
  public internal(set) var container: Boxed<Container>
  public internal(set) var phone: Phone
  public internal(set) var peer: Boxed<PeerMachine>
  var wires: [Wire] = []
  var letters: [Letter] = []
  var wordsForPhone: ArraySlice<PhoneEvent> = []
  var nextPid: Int32 = 1
  var nextWire: UInt64 = 1
  var nextPush: UInt64 = 1
  var nextPayment: UInt64 = 1
  public internal(set) var boots: UInt64 = 1

  /// What the wallet has asked to be paid, in the order of the making.
  public internal(set) var invoices: [WorldInvoice] = []
  public internal(set) var payments: [WorldPayment] = []
  /// What the person has paid, or wanted to.
  public internal(set) var sends: [WorldSend] = []
  var sendRequests: UInt64 = 0
  /// What the person has taken out on chain, or wanted to.
  public internal(set) var withdrawals: [WorldWithdrawal] = []
  var fundings = WorldFundings(World.newChannel)
  public internal(set) var pushes: [WorldPush] = []
  /// Those for the app in the background; nobody is shown anything for them.
  var silentPushes: [WorldPush] = []
  /// From the person's opening the app to `connected`, if the app stays in front until then.
  public internal(set) var connecting = Waits()
  /// From the sender's request to the preimage.
  public internal(set) var settling = Waits()
  var openedAt: Instant?
  public internal(set) var violation: Violation?
  /// Until its holder's next beat such a lock looks free, which may displace a healthy owner.
  var lockReplacedAt: Instant?
  var incarnations: UInt64 = 0
  public internal(set) var storage = WorldStorage()
  /// Runs of background tasks, of all lives of the app.
  var tasksCompleted = 0
  /// The container as it was when somebody made a copy.
  var oldCopy: Boxed<Container>?
  /// How often one was put back.
  var restored: UInt64 = 0
  /// A number for each task of the person's, so that its end is not taken for that of another.
  var tasksBegun: UInt64 = 0
  /// Payments that were received and that a restored copy does not know.
  var forgotten: [Bytes32] = []
  /// How many notifications there are of each payment, by its hash.
  var notifications = Aside<[String: Int]>([:])
  /// The next push is not delivered.
  var losesNextPush = false

  /// How far the wall clock is from the running time. Ours never reads it to decide anything.
  var wallOffset = TimeSpan.zero
  /// Somebody has changed it.
  var wasClockStepped = false
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
    others = Others(settings.coordination)
    container = Boxed(Container(id: ContainerID(high: 0xC0, low: 1)))
    phone = Phone(configuration: settings.phone)
    peer = Boxed(
      PeerMachine(
        configuration: .init(
          isLegacy: settings.hasLegacyPeer, elsewhereDelay: settings.elsewhereDelay, rules: settings.rules,
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

  var boot: BootID { BootID(high: 0, low: boots) }

  // MARK: What is said

  mutating func say(_ line: @autoclosure () -> Said) {
    if isHeard { said.append(line()) }
  }

  public mutating func takeSaid() -> [Said] {
    defer { said = [] }
    return said
  }

  mutating func report(_ invariant: Invariant, _ sentence: String) {
    guard violation == nil, settings.coordination.promises(invariant) else { return }
    let found = Violation(invariant: invariant, sentence: sentence)
    violation = found
    say(.violation(found))
  }

  // MARK: What is so

  public func life(_ role: Role) -> Life? { lives[role]?.value }

  func role(ofPid pid: Int32) -> Role? {
    if lives.app?.part({ $0.pointee.identity.pid }) == pid { return .app }
    return lives.notifier?.part { $0.pointee.identity.pid } == pid ? .extension : nil
  }

  /// Those that are stored and that nobody has paid yet.
  var unpaidInvoices: [Int] {
    invoices.indices.filter { invoices[$0].isStored && !invoices[$0].isPaid }
  }

  /// A presence message, or the notice of an end, is on its way.
  public var hasLetters: Bool { !letters.isEmpty }

  var hasCopy: Bool { oldCopy != nil }

  /// The wallet has this payment, or had it before an old copy was put back.
  func isReceived(_ hash: Bytes32) -> Bool {
    forgotten.contains(hash) || container.value.received.contains { $0.invoice.paymentHash == hash }
  }

  public var someWire: UInt64? { wires.first { !$0.isOverForPeer }?.id }

  func wireIndex(_ id: UInt64) -> Int? { wires.firstIndex { $0.id == id } }

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
  public var elsewhereDelay = TimeSpan.zero
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

/// An invoice that the wallet was asked for.
public struct WorldInvoice: Hashable, Sendable {
  public var invoice: Invoice
  var preimage: Bytes32
  /// What its sender pays.
  var amountMsat: UInt64
  public var isStored = false
  public var isPaid = false
  /// The phone's number of the request to cancel it, until that is answered.
  var cancelRequest: UInt64?
  /// Durably, in the container that is there.
  public var isCancelled = false
}

public struct WorldPayment: Hashable, Sendable {
  public enum State: Hashable, Sendable { case underWay, paid, failed }
  public var id: UInt64
  public var invoice: Int
  var amountMsat: UInt64
  var madeAt: Instant
  public var state = State.underWay
}

public struct WorldPush: Hashable, Sendable {
  public var id: UInt64
  public var paymentHash: Bytes32?
  public var reason: Push.Reason
  /// How many payments the container had when it was sent; only of one that names none.
  var receivedBefore: Int?
  /// How often it was shown to the person.
  public var shown = 0
  public var wentToApp = false
  public var isLost = false
}

// Simulation: the shipped cores in virtual time, with injected faults. Pure: randomness comes from a seed or the
// explorer, and the same moves give the same world on any machine.

import Ground
import Guardrails
import Heartbeat
import Lightning
import LightningProvider
import PhonePolicy
import Wallet

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
  var senders: [WorldSender] = []
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
    peer = Boxed(Self.peer(settings, startedAt: .zero, PeerState(channel: Self.newChannel)))
  }

  static func peer(_ settings: WorldSettings, startedAt now: Instant, _ state: PeerState) -> PeerMachine {
    PeerMachine(
      configuration: .init(
        isLegacy: settings.hasLegacyPeer, externalDelay: settings.externalDelay, rules: settings.rules,
        fundingKey: settings.splices ? peerKey : nil, spliceDelay: settings.spliceDelay,
        storageDelay: settings.storageDelay, startedAt: now, state: state,
        pushStrategy: settings.pushStrategy))
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

  mutating func say(_ line: @autoclosure () -> Said) { if isRecorded { said.append(ofDevice(line())) } }

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
  public var retryingSenders: [WorldSender] { senders }
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
  var hasLegacyPeer: Bool { peerIsLegacy || without.contains(.peerFencing) }
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

// Worlds that behave alike should be equal values.
extension World {
  /// Shifts all instants so that now is zero, and drops what no longer makes a difference. Seals the parts, so do not
  /// change the world in place afterwards.
  mutating func normalise() {
    let span = Instant.zero - peerNow
    normaliseDevice(span)
    onOtherDevice { $0.normaliseDevice(span) }
    if span != .zero {
      peer.value.shift(by: span)
      invoicing.startAnew()
      clock.startPeerAnew()
    }
    if !peer.isSealed { peer.value.forgetLongAgo(at: peerNow) }
    deliveredEvents = 0
    settling = Waits()
    peer.seal()
    otherDevice?.seal()
  }

  private mutating func normaliseDevice(_ peerSpan: TimeSpan) {
    if now != .zero || peerSpan != .zero { shift(peerSpan) }
    if asksForAge { forgetOldStamps() }
    forgetOldBeats()
    renumberBeats()
    lockReplacedAt = lockReplacedAt.flatMap { now - $0 < Self.lockHealsWithin ? $0 : nil }
    for role in [Role.app, .extension] where lives[role]?.isSealed == false {
      lives[role]?.value.normalise(at: clock.now)
    }
    sortPresenceQueue()
    if let until = storage.incomingBlockedUntil, until <= now { storage.incomingBlockedUntil = nil }
    moving.forgetOld(at: now)
    opening = WorldOpening()
    lives.app?.seal()
    lives.notifier?.seal()
    container.seal()
    copies.seal()
  }

  /// By reader: the order of messages to different readers makes no difference.
  mutating func sortPresenceQueue() {
    presenceQueue = presenceQueue.filter { $0.to == .app } + presenceQueue.filter { $0.to == .extension }
  }

  /// Drops beats that no rule reads: those of another epoch, and the last one (`released`).
  private mutating func forgetOldBeats() {
    guard copies.kept == nil, let epoch = container.part({ $0.pointee.row?.epoch }) else { return }
    for role in [Role.app, .extension] {
      guard let beat = container.value.beats[role] else { continue }
      if beat.epoch != epoch || beat.phase == .released { container.value.beats[role] = nil }
    }
  }

  /// Reduces counters to: seen (0), the newest one (1), later ones (2…).
  private mutating func renumberBeats() {
    guard let row = container.value.row else { return }
    let written = container.value.beats[row.role]?.counter
    // Without either there is no further beat under this epoch.
    let seen = written ?? lives[row.role]?.value.wallet.guardrail.beatCounter(ofEpoch: row.epoch) ?? .max
    func number(_ counter: UInt64) -> UInt64 { counter < seen ? 0 : counter - seen + 1 }
    let hasContainerChanged = !container.isSealed
    if written != nil, seen != 1 { container.value.beats[row.role]?.counter = 1 }
    for role in [Role.app, .extension]
    where hasContainerChanged || seen != 1 || lives[role]?.isSealed == false {
      lives[role]?.value.renumberBeats(ofEpoch: row.epoch, number)
    }
  }

  private mutating func shift(_ peerSpan: TimeSpan) {
    let span = Instant.zero - now
    let asksForAge = asksForAge
    for role in [Role.app, .extension] { lives[role]?.value.shift(by: span, withStamps: asksForAge) }
    phone.shift(by: span)
    for index in container.part({ $0.pointee.waits.indices }) {
      container.value.waits[index].since.shift(by: peerSpan)
    }
    lockReplacedAt.shift(by: span)
    storage.incomingBlockedUntil.shift(by: span)
    moving.endsAt.shift(by: span)
    if asksForAge { for role in [Role.app, .extension] { container.value.beats[role].shift(by: span) } }
    exclusion?.value.shift(by: span)
    clock.startAnew()
  }

  /// Old stamps are all set to the oldest age that a rule distinguishes.
  private mutating func forgetOldStamps() {
    let memory = exclusion?.value.longestMemory ?? .seconds(40)
    let longStale = clock.wallNow + TimeSpan(nanoseconds: -memory.nanoseconds)
    func isOlder(_ beat: Beat?) -> Bool { beat.map { $0.bootClock < longStale } ?? false }
    for role in [Role.app, .extension] where isOlder(container.part({ $0.pointee.beats[role] })) {
      container.value.beats[role]?.bootClock = longStale
    }
    exclusion?.value.forget(before: longStale)
    for role in [Role.app, .extension] where lives[role]?.isSealed == false {
      lives[role]?.value.forgetOldStamps(memory)
    }
  }
}

extension Life {
  /// `withStamps`: a rule compares the stamps in beats.
  mutating func shift(by span: TimeSpan, withStamps: Bool) {
    wallet.shift(by: span)
    if withStamps { changeObservations { $0.shift(by: span) } }
    for index in heardPushes.indices { heardPushes[index].at.shift(by: span) }
    runningSince.shift(by: span)
    silentAt.shift(by: span)
    thawedAt.shift(by: span)
  }

  mutating func renumberBeats(ofEpoch epoch: Epoch, _ number: (UInt64) -> UInt64) {
    wallet.guardrail.renumberBeats(ofEpoch: epoch, number)
    for index in orders.indices {
      guard case .container(.guardrail(.beat(let own, let phase, let counter))) = orders[index] else {
        continue
      }
      orders[index] = .container(
        .guardrail(.beat(epoch: own, phase: phase, counter: own == epoch ? number(counter) : 0)))
    }
    changeObservations { observation in
      guard let beat = observation.beat, beat.epoch == epoch else { return }
      observation.beat?.counter = number(beat.counter)
    }
  }

  /// The same in unhandled observations, relative to their time.
  mutating func forgetOldStamps(_ memory: TimeSpan) {
    changeObservations { observation in
      guard let beat = observation.beat else { return }
      let longStale = observation.bootClock + TimeSpan(nanoseconds: -memory.nanoseconds)
      observation.beat?.bootClock = max(beat.bootClock, longStale)
    }
  }

  mutating func normalise(at now: Instant) {
    forgetOldBeats()
    wallet.forgetLongAgo(at: now)
    runningSince = max(runningSince, now + Self.longEnough)
    if let silent = silentAt, silent <= now + Self.longEnough { silentAt = nil }
    if let thawed = thawedAt, thawed <= now + Self.longEnough { thawedAt = nil }
  }

  /// Drops the counter of `released` beats, beats of other epochs than the row's, and the reason of a claim, which
  /// depends on such a beat but decides nothing.
  private mutating func forgetOldBeats() {
    for index in orders.indices {
      switch orders[index] {
      case .container(.guardrail(.beat(let epoch, .released, _))):
        orders[index] = .container(.guardrail(.beat(epoch: epoch, phase: .released, counter: 0)))
      case .container(.guardrail(.claim(let seen, _))):
        orders[index] = .container(.guardrail(.claim(seen: seen, reason: .holderDied)))
      default: break
      }
    }
    changeObservations { observation in
      guard let beat = observation.beat, let row = observation.row else { return }
      if beat.epoch != row.epoch || beat.phase == .released { observation.beat = nil }
    }
  }

  /// Changes the observations that it has not handled yet.
  private mutating func changeObservations(_ change: (inout Observation) -> Void) {
    for index in answers.indices {
      guard case .guardrail(.observed(var observation)) = answers[index] else { continue }
      change(&observation)
      answers[index] = .guardrail(.observed(observation))
    }
  }

  /// No check distinguishes longer running times.
  private static let longEnough = TimeSpan(nanoseconds: -World.healthyAfter.nanoseconds - 1)
}

extension Observation: Shiftable {
  public mutating func shift(by span: TimeSpan) {
    bootClock.shift(by: span)
    beat.shift(by: span)
  }
}

extension Beat: Shiftable { public mutating func shift(by span: TimeSpan) { bootClock.shift(by: span) } }

// The container port's orders of the node and the background work.
extension World {
  /// The row that the node reads. Before a late claim there is none: it reads its own claim.
  func rowForNode(_ life: Life) -> ClaimRow? {
    life.claimsAfterDialling != nil ? rowOfItsOwn(life) : container.value.row
  }

  /// The state without a new read of the channel. Invoices are looked up when they are needed.
  func stateInMemory(_ life: Life) -> NodeState {
    var state = life.wallet.node.durableState
    let stored = nodeInContainer
    state.invoices = stored.invoices
    state.accepted = stored.accepted
    state.waiting = stored.waiting
    return state
  }

  mutating func checkAfterInit(_ life: inout Life) {
    guard !settings.without.contains(.initCheck) else {
      return life.answer(.checkedAfterInit(rowOfItsOwn(life), stateInMemory(life)))
    }
    guard claimLate(&life) else { return life.answer(.fenced) }
    life.soundRevision = container.value.node.channel?.revision ?? 0
    life.answer(.checkedAfterInit(container.value.row, nodeInContainer))
  }

  mutating func write(_ change: NodeChange, under claim: Claim, _ life: inout Life) {
    let isOwner: Bool
    switch container.value.beginWrite(under: claim, by: life.identity.pid) {
    case .blocked: return life.answer(.storeBlocked)
    case .allowed: isOwner = true
    case .fenced where exclusion != nil: isOwner = true
    case .fenced:
      guard settings.without.contains(.fencedWrites) else { return life.answer(.fenced) }
      isOwner = false
    }
    if !isOwner { report(.oneDriver, "A write of the \(life.role) under a superseded epoch succeeds.") }
    if let channel = change.channel, let stored = container.value.node.channel,
      channel.revision <= stored.revision
    {
      report(.channelNeverBack, "The channel in the database would go back to revision \(channel.revision).")
    }
    store(change)
    if isOwner, let channel = change.channel { life.soundRevision = channel.revision }
    life.answer(.written)
  }

  private mutating func store(_ change: NodeChange) {
    if let channel = change.channel { container.value.node.channel = channel }
    if change.restored != nil, let channel = change.channel { container.value.follow(channel) }
    if let waiting = change.waiting { container.value.write(waiting: waiting, boot: boot, at: peerNow) }
    if let payments = change.payments { store(payments) }
    if let failure = change.failure { container.value.node.failure = failure }
    container.value.followInvoices(change)
    if let cancelled = change.cancelled { checkCancel(of: cancelled) }
    for receipt in change.received {
      if change.restored == nil { checkNotCancelled(receipt) }
      if container.value.received.contains(where: { $0.invoice.paymentHash == receipt.invoice.paymentHash }) {
        report(.paidIsReceivedOnce, "A payment is received a second time.")
      }
      container.value.received.append(receipt)
    }
  }

  /// Makes a claim that was not made before the dial. False: the other process has claimed.
  private mutating func claimLate(_ life: inout Life) -> Bool {
    guard let late = life.claimsAfterDialling, let claim = life.claim else { return true }
    life.claimsAfterDialling = nil
    let claimant = Container.Claimant(role: life.role, process: life.identity, incarnation: claim.incarnation)
    let before = container.value.row
    guard case .claimed = container.value.claim(seen: late, by: claimant, without: settings.without) else {
      return false
    }
    checkDisplacement(of: before, by: life)
    return true
  }

  /// In seconds of the peer's clock, which is never set.
  mutating func readIncoming(_ asked: [Bytes32], _ life: inout Life) {
    let records = container.value.incoming
    let hashes =
      records.map(\.paymentHash) + asked.filter { hash in !records.contains { $0.paymentHash == hash } }
    let settled = hashes.filter { container.value.isSettled($0) }.compactMap { hash in
      container.value.received.first { $0.invoice.paymentHash == hash }
    }
    life.answers.append(
      .incoming(
        .recordsRead(records, received: settled.map { ReceivedPayment($0) }, atWallSeconds: wallSeconds)))
  }

  /// One short read, blocked by a process that is frozen inside a transaction.
  mutating func lookAtWallet(_ run: UInt64, _ life: inout Life) {
    let isBlocked = container.part { $0.pointee.writer } != nil
    life.answers.append(
      .background(
        .stepDone(run: run, isBlocked ? .busy("the container is blocked") : .done("it can be read"))))
  }
}

// Drops numbers and stamps that make no difference, so that equal situations are equal values for the explorer.
extension World {
  /// Replaces the identity of an ended process by `placeholder`, as its pid is reused.
  mutating func forgetNumber(of process: ProcessIdentity) {
    guard settings.reusesNumbers else { return }
    let placeholder = ProcessIdentity(pid: 9, startTime: 9, boot: BootID(high: 0, low: 0))
    if container.value.row?.process == process { container.value.row?.process = placeholder }
    for role in [Role.app, .extension] where container.value.beats[role]?.process == process {
      container.value.beats[role]?.process = placeholder
    }
    wires.forget(process.pid, for: placeholder.pid)
  }

  /// Called before each push: the peer announces a payment that the app has not received each hour, for ever.
  mutating func forgetEndedPushes() {
    guard settings.reusesNumbers, tellsOnly, otherDevice == nil, phoneEvents.isEmpty,
      lives.notifier == nil, phone.service == .notRunning, phone.queue.isEmpty, phone.silent.areOver,
      lives.app?.part({ $0.pointee.knowsNoPush }) ?? true
    else { return }
    pushing.forgetEnded()
    if pushing.isEmpty { numbers.forgetPushes() }
  }

  /// The clock in beats and looks. Zero unless stamps are compared, so that it does not distinguish states.
  var stamp: Instant { asksForAge || !settings.reusesNumbers ? now : .zero }

  /// Whether a takeover rule compares stamps with a clock.
  var asksForAge: Bool { settings.guardConfiguration.takeover == .waitStale || exclusion != nil }
}

// The user of an app with a screen of incoming payments: its buttons, and the links that open it.
extension World {
  /// Whether the user sees this button.
  public func hasButton(_ button: ScreenButton) -> Bool {
    phone.app == .foreground && lives.app?.value.screen?.buttons.contains(button) == true
  }

  /// The screen may change before the app hears of it.
  mutating func pressIfThere(_ button: ScreenButton) {
    guard hasButton(button) else { return }
    lives.app?.value.inbox.append(.incoming(.pressed("press", button)))
  }

  /// The app comes to the front, as the user opens it.
  mutating func followLink() {
    guard let scheme = settings.wallet.urlScheme, phone.refusal(ofLinkWith: scheme) == nil else { return }
    noteOpening()
    tellPhone(.linkOpened("\(numbers.request())", scheme: scheme))
  }

  /// Every second link is of no page.
  mutating func tell(ofLink link: String) {
    guard UInt64(link)?.isMultiple(of: 2) == true else { return }
    lives.app?.value.inbox.append(.incoming(.linkFollowed(.subscriptions)))
  }
}

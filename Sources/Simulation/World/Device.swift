import Ground
import LightningProvider
import PhonePolicy
import Wallet

/// A phone with its wallet processes and its container. The wallet may have two, with one seed; the user has one of
/// them in hand.
struct Device: Hashable, Sendable {
  /// 0 or 1; also part of the pids.
  var number: UInt8
  var clock = WorldClock()
  var lives = PerRole<Boxed<Life>?>(nil, nil)
  var container: Boxed<Container>
  var phone: Phone
  var presenceQueue: [QueuedPresence] = []
  var phoneEvents: ArraySlice<PhoneEvent> = []
  var pushing = WorldPushes()
  var opening = WorldOpening()
  var storage = WorldStorage()
  var copies = WorldCopies()
  var lockReplacedAt: Instant?
  var moving = WorldMoving()
}

/// The user's request to move the wallet to a device.
struct WorldMoving: Hashable, Sendable {
  /// The phone's number of the newest request, if the app has not answered it.
  var request: UInt64?
  /// When the app stops to follow it: 10 s after it has heard it, also without an answer.
  var endsAt: Instant?

  func isAsked(at now: Instant) -> Bool { request != nil && endsAt.map { now < $0 } ?? true }

  mutating func forgetOld(at now: Instant) { if !isAsked(at: now) { self = WorldMoving() } }
}

// The world's own fields are those of the device in hand. A step of the other device is made by exchanging the two.
extension World {
  /// Makes a step of the other device, if there is one.
  mutating func onOtherDevice(_ body: (inout World) -> Void) {
    guard otherDevice != nil else { return }
    exchangeDevices()
    body(&self)
    exchangeDevices()
  }

  private mutating func exchangeDevices() {
    guard var other = otherDevice?.value else { return }
    // Else its parts would count as shared, and be copied with the next change.
    otherDevice = nil
    swap(&device, &other.number)
    swap(&clock, &other.clock)
    clock.followPeer(&other.clock)
    swap(&lives, &other.lives)
    swap(&container, &other.container)
    swap(&phone, &other.phone)
    swap(&presenceQueue, &other.presenceQueue)
    swap(&phoneEvents, &other.phoneEvents)
    swap(&pushing, &other.pushing)
    swap(&opening, &other.opening)
    swap(&storage, &other.storage)
    swap(&copies, &other.copies)
    swap(&lockReplacedAt, &other.lockReplacedAt)
    swap(&moving, &other.moving)
    otherDevice = Boxed(other)
  }

  /// The other device as if it were in hand.
  var seenFromOther: World? {
    guard otherDevice != nil else { return nil }
    var world = self
    world.exchangeDevices()
    return world
  }

  // MARK: The user

  /// The user takes the other device in hand, and opens the app; at first its container is empty.
  mutating func takeOtherDevice() {
    guard settings.allowsMoves else { return }
    opening.giveUp()
    if otherDevice == nil {
      let empty = Container(id: ContainerID(high: 0xC1, low: 1))
      otherDevice = Boxed(
        Device(number: 1, container: Boxed(empty), phone: Phone(configuration: settings.phone)))
    }
    exchangeDevices()
    noteOpening()
    tellPhone(.userOpened)
  }

  /// The user asks the app in front to move the wallet to this device.
  mutating func askToMove() {
    guard otherDevice != nil else { return }
    let request = numbers.request()
    if phone.app == .foreground { moving = WorldMoving(request: request) }
    tellPhone(.appAsked(request: request, inFront: true))
  }

  /// The app hears of the request.
  mutating func noteMoveIsHeard(_ event: WalletEvent) {
    guard case .requests(.asked(let id, .move)) = event, id == moving.request.map(String.init) else { return }
    moving.endsAt = now + Self.moveRequestBound
  }

  /// As of the app's guard.
  private static let moveRequestBound = TimeSpan.seconds(10)

  /// The app tells the user that the wallet is here, or that it does not move here.
  mutating func moveIsAnswered(_ request: UInt64) {
    // The explorer's requests have one number: an unheard one is not answered yet.
    if moving.request == request, moving.endsAt != nil { moving = WorldMoving() }
  }

  /// At the user's request the app replaces the other device's claim.
  func takesPlace(_ directives: [WalletDirective]) -> Bool {
    otherDevice != nil && moving.isAsked(at: now)
      && directives.contains {
        if case .container(.guardrail(.raiseEpoch(_, _, .some))) = $0 { true } else { false }
      }
  }

  // MARK: State

  var isOtherDeviceThere: Bool { otherDevice != nil }

  /// The peer serves the other device: the wallet has left this one, or has not come yet.
  public var isServedElsewhere: Bool {
    guard otherDevice != nil, let fenced else { return false }
    return fenced != container.part { $0.pointee.id }
  }

  /// Those of both devices.
  var containers: [Container] {
    [container.value] + (otherDevice.map { [$0.part { $0.pointee.container }.value] } ?? [])
  }

  /// The app of the device that the wallet has left shows so, if the user looks at it.
  var isLeftDeviceTold: Bool {
    guard let other = otherDevice?.value, other.phone.app == .foreground else { return true }
    return other.lives.app?.value.status == .usedByAnotherDevice
  }

  // MARK: Checks

  /// The peer has stored a claim.
  mutating func noteFence(of container: ContainerID) {
    guard container != fenced else { return }
    let hasMoved = fenced != nil
    fenced = container
    noteServedElsewhere()
    onOtherDevice { $0.noteServedElsewhere() }
    guard hasMoved else { return }
    if self.container.part({ $0.pointee.id }) == container { moved() } else { onOtherDevice { $0.moved() } }
  }

  private mutating func noteServedElsewhere() { if isServedElsewhere { pushing.noteServedElsewhere() } }

  /// The wallet is here now. The backup has the channel, but not the other container's outgoing payments.
  private mutating func moved() {
    if !hearsOfAskedMove {
      report(
        .movedByUser,
        "The peer accepts another device although the user has not asked to move the wallet there.")
    }
    moving = WorldMoving()
    lives.app?.value.takesPlace = false
    guard let left = otherDevice?.part({ $0.pointee.container }).value else { return }
    sending.leave(left.node.payments)
    openAgain(leaving: left, for: container.value)
  }

  /// The peer before it reads a message of a device that the wallet has left; else nil. Such a copy is expensive.
  func peerIfLeft(by wire: Wire) -> Boxed<PeerMachine>? {
    fenced != nil && wire.container != fenced && otherDevice != nil ? peer : nil
  }

  /// A message of a device that the wallet has left changes nothing at the peer.
  mutating func checkLeft(_ wire: Wire, since before: PeerMachine) {
    guard wire.container != fenced else { return }
    let after = peer.value
    let keepsBackups =
      before.state.backup == after.state.backup && before.waitingBackup == after.waitingBackup
    // A backup that was due is stored before the message is read.
    let storesDue =
      before.waitingBackup != nil && after.state.backup == before.waitingBackup && after.waitingBackup == nil
    let keepsState = before.state.channel.record == after.state.channel.record && (keepsBackups || storesDue)
    if keepsState { return }
    report(.oneDriver, "The peer processes a message of the device that the wallet has left.")
  }
}

/// The user's copy of the database, and its restores.
struct WorldCopies: Hashable, Sendable {
  var kept: Boxed<Container>?
  /// How often a copy was restored.
  private(set) var restored: UInt64 = 0
  /// Received payments that the restored copies lack.
  private(set) var forgotten: [Bytes32] = []

  /// Notes the receipts that the copy lacks.
  mutating func noteRestored(_ copy: Container, inPlaceOf container: Container) {
    restored += 1
    for receipt in container.received where !copy.received.contains(receipt) {
      forgotten.append(receipt.invoice.paymentHash)
    }
  }

  mutating func seal() { kept?.seal() }
}

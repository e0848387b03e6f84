import Ground
import Guardrails
import Lightning
import LightningProvider
import PhonePolicy
import Wallet

/// The peer's pushes and the wallet's notifications.
struct WorldPushes: Hashable, Sendable {
  /// Pushes with an alert.
  private(set) var visible: [WorldPush] = []
  /// Silent pushes, for the app in the background.
  private var silent: [WorldPush] = []
  /// The next push is not delivered.
  var losesNext = false
  /// Number of shown notifications of each payment, by its hash.
  private var notifications = Unhashed<[String: Int]>([:])

  mutating func add(_ push: WorldPush) { visible.append(push) }

  /// Keeps the last four.
  mutating func addSilent(_ push: WorldPush) { silent = silent.suffix(3) + [push] }

  func silent(_ id: UInt64) -> WorldPush? { silent.last { $0.id == id } }

  subscript(id: UInt64) -> WorldPush? { visible.last { $0.id == id } }

  /// The peer serves another device from now on.
  mutating func noteServedElsewhere() {
    for index in visible.indices { visible[index].wasServedElsewhere = true }
  }

  /// Returns how often it was shown.
  mutating func noteShown(_ id: UInt64) -> Int {
    change(id) { $0.shown += 1 }
    return self[id]?.shown ?? 0
  }

  mutating func change(_ id: UInt64, _ change: (inout WorldPush) -> Void) {
    if let index = visible.lastIndex(where: { $0.id == id }) { change(&visible[index]) }
  }

  /// Forgets those that were shown, lost, or given to the app, and all silent ones.
  mutating func forgetEnded() {
    visible.removeAll { $0.shown > 0 || $0.isLost || $0.wentToApp }
    silent = []
  }

  var isEmpty: Bool { visible.isEmpty && silent.isEmpty }

  // MARK: Notifications

  static func key(ofAnnouncement hash: Bytes32) -> String { "announcement of \(hash.hex)" }

  /// Returns how many notifications its payment has. An announcement that comes after the receipt counts alone: the
  /// extension cannot know of the receipt, and the app withdraws the announcement at its next opening.
  mutating func noteNotification(_ notification: PhoneNotification) -> Int {
    guard let key = notification.key else { return 1 }
    for replaced in notification.replacedKeys { notifications.value[replaced] = nil }
    notifications.value[key, default: 0] += 1
    let announced = Bytes32(hex: key).map(Self.key(ofAnnouncement:))
    return (notifications.value[key] ?? 0) + (announced.flatMap { notifications.value[$0] } ?? 0)
  }

  mutating func withdraw(_ key: String) { notifications.value[key] = nil }
}

public struct WorldPush: Hashable, Sendable {
  public let id: UInt64
  public let paymentHash: Bytes32?
  public let reason: Push.Reason
  /// How many payments the container had when the push was sent; only for a push without a payment hash.
  var receivedBefore: Int? = nil
  /// What the peer knew when it sent the push, to a wallet whose extension only notifies; nil if the extension cannot
  /// read it.
  var announcement: Announcement? = nil
  /// How often it was shown to the user.
  public fileprivate(set) var shown = 0
  public internal(set) var wentToApp = false
  public internal(set) var isLost = false
  /// When it arrived, or later, the peer served another device.
  fileprivate(set) var wasServedElsewhere = false
}

// A wallet whose extension has no node: it tells the user of a payment and records it, and the app receives it.
extension World {
  var tellsOnly: Bool { !settings.wallet.extension.hasNode }

  // MARK: Pushes

  /// The text is made from what the push carries. Without the key of the payload there is only a general text.
  func asRead(_ push: WorldPush) -> Push {
    guard tellsOnly else { return Push(id: push.id, reason: push.reason, paymentHash: push.paymentHash) }
    let refusal = phone.refusal(
      to: .wallet(.extension), group: Entitlements.accessGroup, protection: .afterFirstUnlock)
    guard refusal == nil, let announcement = push.announcement else {
      return Push(id: push.id, reason: .unreadable)
    }
    var read = Push(id: push.id, reason: push.reason, paymentHash: announcement.paymentHash)
    read.announcement = announcement
    return read
  }

  /// What the extension can read of the push. The peer has sealed it to the key of the device that it serves.
  mutating func announcement(in request: PushRequest, push id: UInt64) -> Announcement? {
    guard tellsOnly else { return nil }
    checkHeld(request)
    // Every second number is a silent push's.
    let isSpoilt = settings.spoilsPayloads && (id / 2).isMultiple(of: 4)
    let key = peer.part { $0.pointee.state.pushKey }.map(CurvePoint.init)
    guard !isSpoilt, key == Self.pushKey(of: device) else { return nil }
    // An exploration has no wall clock.
    let ends = settings.reusesNumbers ? nil : request.holdUntil.map { $0.nanoseconds / 1_000_000_000 }
    return Announcement(
      kind: .incomingHtlc, paymentHash: request.paymentHash, amountMsat: request.amountMsat,
      isHeld: request.isHeld, holdEndsAt: ends)
  }

  /// The peer promises only what it does.
  private mutating func checkHeld(_ request: PushRequest) {
    guard request.isHeld, let hash = request.paymentHash else { return }
    let isPending = peer.part { peer in
      peer.pointee.state.payments.contains { $0.request.paymentHash == hash }
    }
    if !isPending { report(.textIsTrue, "The peer announces as held a payment that it does not hold.") }
  }

  /// The process has the push from now on.
  mutating func noteHeard(_ event: WalletEvent, _ life: inout Life) {
    guard tellsOnly, life.role == .extension, case .guardrail(.pushArrived(let push)) = event else { return }
    life.heardPushes.append(HeardPush(id: push.id, at: now, announcement: push.announcement))
  }

  /// An app that completes what its extension announces opens the payload itself; the others only log the touch.
  mutating func tellOfTouched() {
    guard tellsOnly, let push = touchedPush.flatMap({ pushing[$0] }) else { return }
    let seconds = wallSeconds
    lives.app?.value.inbox.append(.incoming(.told(push.announcement, atWallSeconds: seconds)))
  }

  /// An exploration has no wall clock: it would tell states apart that behave alike.
  var wallSeconds: Int64 { settings.reusesNumbers ? 0 : peerNow.nanoseconds / 1_000_000_000 }

  /// As the judge does, from what the peer has requested: its own marks do not count.
  mutating func noteAnnouncements(_ event: PeerEvent, _ directives: [PeerDirective]) {
    guard settings.pushStrategy.announces, !settings.reusesNumbers else { return }
    // Before its push, which is a call since that news.
    if case .payRequested(let request) = event,
      peer.part({ $0.pointee.state.payments.contains { $0.request.id == request.id } })
    {
      announcements.value.noteNews()
    }
    announcements.value.noteConnection(peer.part { $0.pointee.isWalletConnected }, at: peerNow)
    for directive in directives {
      if case .requestPush(let push) = directive { announcements.value.note(push, at: peerNow) }
    }
  }

  // MARK: Checks

  /// The user, whose app alone can receive it, must hear of each payment that waits.
  mutating func checkAnnounced() {
    guard settings.pushStrategy.announces, !isPeerDown else { return }
    let missing = peer.part { peer in
      peer.pointee.state.failure == nil
        ? announcements.value.missing(of: peer.pointee.state.payments, at: peerNow) : nil
    }
    if missing != nil {
      report(.oneTextPerPush, "A payment waits for the wallet, and the peer does not announce it.")
    }
  }

  /// The text is the announcement's, and comes within a second of the push.
  mutating func checkTold(_ push: UInt64, _ outcome: PushOutcome, _ life: inout Life) {
    guard tellsOnly, life.role == .extension else { return }
    guard let index = life.heardPushes.firstIndex(where: { $0.id == push }) else {
      return report(
        .oneTextPerPush, "The extension delivers a text for push \(push), which it does not serve.")
    }
    let heard = life.heardPushes.remove(at: index)
    checkTime(of: heard, life)
    switch outcome {
    case .announced(let told):
      if told != heard.announcement {
        report(.textIsTrue, "The text of push \(push) tells something else than the push.")
      } else if told.isHeld, pushing[push]?.announcement?.isHeld != true {
        report(.textIsTrue, "The text of push \(push) says that the payment is held, and it was not.")
      }
    case .nothingReceived(.unreadable):
      if heard.announcement != nil, !life.hasLostContainer {
        report(.textIsTrue, "The text of push \(push) says nothing of a payment, but the push names one.")
      }
    case .received, .nothingReceived, .partsWait, .partsGivenBack, .appContinues, .usedByAnotherDevice:
      report(.textIsTrue, "The text of push \(push) says what only a wallet's node can know.")
    }
  }

  /// An idle extension owes no text; one that still does must not wait for longer.
  mutating func checkTellsInTime(_ life: Life) {
    for heard in life.heardPushes { checkTime(of: heard, life) }
  }

  private mutating func checkTime(of heard: HeardPush, _ life: Life) {
    guard now - max(heard.at, life.runningSince) > Self.toldWithin else { return }
    report(.toldAtOnce, "The text of push \(heard.id) is not delivered within a second.")
  }

  /// The record may delay the text for half of it.
  static let toldWithin = TimeSpan.seconds(1)

  mutating func checkTellsOnly(_ order: WalletDirective, _ life: Life) {
    guard tellsOnly, life.role == .extension else { return }
    switch order {
    case .container(.storeIncoming), .phone: break
    case .container: report(.tellsOnly, "The extension uses the container of the node.")
    case .wire: report(.tellsOnly, "The extension connects to the peer.")
    }
  }

  mutating func checkStored(_ record: IncomingRecord) {
    guard pushing.visible.contains(where: { $0.announcement?.paymentHash == record.paymentHash }) else {
      return report(.recordsAreTrue, "The extension records a payment that the peer has not announced.")
    }
  }

  /// Whatever ended since, a process or the phone: the store keeps what it has acknowledged until the app removes it.
  mutating func checkKept() {
    guard tellsOnly, !storage.keptRecords.value.isEmpty else { return }
    let isGone = container.part { container in
      storage.keptRecords.value.contains { hash in
        !container.pointee.incoming.contains { $0.paymentHash == hash }
      }
    }
    if isGone { report(.recordsAreTrue, "A stored record is gone, and the app has not removed it.") }
  }

  /// A payment has ended when the wallet has it, or the peer does not hold or offer it any more. The record of an earlier
  /// request may go while a new one, without a push, is on its way to the connected wallet: the next absence announces it.
  /// In an exploration no payment is requested again, and the peer's moments are forgotten.
  mutating func checkRemoved(_ records: [IncomingRecord]) {
    for record in records where container.value.incoming.contains(record) {
      let hash = record.paymentHash
      let isPending = peer.part {
        $0.pointee.state.payments.contains {
          $0.request.paymentHash == hash && (settings.reusesNumbers || $0.isCalled)
        }
      }
      guard isPending, !isReceived(hash) else { continue }
      report(.recordsAreTrue, "The app removes the record of a payment that is still pending.")
    }
  }
}

/// A push of which the extension that only notifies knows, and whose text it has not delivered.
struct HeardPush: Hashable, Sendable {
  var id: UInt64
  var at: Instant
  var announcement: Announcement?
}

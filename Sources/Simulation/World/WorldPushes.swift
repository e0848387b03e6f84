import Ground
import Guardrails
import PhonePolicy

/// The peer's pushes and the wallet's notifications.
struct WorldPushes: Hashable, Sendable {
  /// Pushes with an alert.
  private(set) var visible: [WorldPush] = []
  /// Silent pushes, for the app in the background.
  private var silent: [WorldPush] = []
  /// The next push is not delivered.
  private(set) var losesNext = false
  /// Number of shown notifications of each payment, by its hash.
  private var notifications = Unhashed<[String: Int]>([:])

  mutating func loseNext(_ loses: Bool) { losesNext = loses }

  mutating func add(_ push: WorldPush) { visible.append(push) }

  /// Keeps the last four.
  mutating func addSilent(_ push: WorldPush) { silent = silent.suffix(3) + [push] }

  func silent(_ id: UInt64) -> WorldPush? { silent.last { $0.id == id } }

  subscript(id: UInt64) -> WorldPush? { visible.last { $0.id == id } }

  mutating func noteGivenToApp(_ id: UInt64) { change(id) { $0.wentToApp = true } }
  /// The peer serves another device from now on.
  mutating func noteServedElsewhere() {
    for index in visible.indices { visible[index].wasServedElsewhere = true }
  }

  mutating func noteLost(_ id: UInt64) { change(id) { $0.isLost = true } }

  /// Returns how often it was shown.
  mutating func noteShown(_ id: UInt64) -> Int {
    change(id) { $0.shown += 1 }
    return self[id]?.shown ?? 0
  }

  private mutating func change(_ id: UInt64, _ change: (inout WorldPush) -> Void) {
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
  let receivedBefore: Int?
  /// What the peer knew when it sent the push, to a wallet whose extension only notifies; nil if the extension cannot
  /// read it.
  let announcement: Announcement?
  /// How often it was shown to the user.
  public fileprivate(set) var shown = 0
  public fileprivate(set) var wentToApp = false
  public fileprivate(set) var isLost = false
  /// When it arrived, or later, the peer served another device.
  fileprivate(set) var wasServedElsewhere: Bool

  init(
    id: UInt64, paymentHash: Bytes32?, reason: Push.Reason, receivedBefore: Int? = nil,
    announcement: Announcement? = nil, wasServedElsewhere: Bool = false
  ) {
    self.id = id
    self.paymentHash = paymentHash
    self.reason = reason
    self.receivedBefore = receivedBefore
    self.announcement = announcement
    self.wasServedElsewhere = wasServedElsewhere
  }
}

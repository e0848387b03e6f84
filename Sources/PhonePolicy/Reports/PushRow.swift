/// One push, as in os/pushes.jsonl; ids continue over restarts, so an id is unique in the phone's lifetime.
public struct PushRow: NumberedRow, Hashable {
  public var id: UInt64
  /// Of the waking half of an alert with `content-available`: the alert's push id.
  public var of: UInt64?
  public var isVisible: Bool
  public var hasMutableContent: Bool
  /// True for a push with a badge or sound and no alert; otherwise missing.
  public var isBadgeOrSound: Bool?
  public var wallNs: Int64
  public var atNs: Int64
  /// The phone's boot, as in journals: `at_ns` begins again with each boot of the machine.
  public var boot: String?
  /// The push's fate as text, if known; `fateWallNs` and `fateAtNs` are its time.
  public var fate: String?
  /// The fate's code for programs.
  public var fateCode: PushFateCode?
  /// `PushFate.detail`.
  public var fateDetail: String?
  /// How long the phone was off the network after the push came.
  public var lateMs: Int64?
  /// The applied badge and sound of a push without an alert.
  public var appliedBadge: Int?
  public var appliedSound: String?
  public var fateWallNs: Int64?
  public var fateAtNs: Int64?

  public mutating func take(_ fate: PushFate, wall: Int64, at: Int64) {
    (self.fate, fateCode, fateDetail) = (fate.description, fate.code, fate.detail)
    lateMs = fate.lateMilliseconds ?? lateMs
    appliedBadge = fate.applied?.badge
    appliedSound = fate.applied?.sound
    (fateWallNs, fateAtNs) = (wall, at)
  }

  public var isSilent: Bool { !isVisible && isBadgeOrSound != true }
}

extension PushRow {
  public init(_ push: PhonePush, wall: Int64, at: Int64) {
    self.init(
      id: push.id, of: push.of, isVisible: push.alert != nil, hasMutableContent: push.hasMutableContent,
      isBadgeOrSound: push.badgeAndSound == nil ? nil : true, wallNs: wall, atNs: at)
  }
}

import PhonePolicy

/// One push, as it stands in os/pushes.jsonl; its number goes on over restarts, so that a number names one push of
/// the phone's whole life.
public struct PushRow: NumberedRow, Hashable {
  public var id: UInt64
  /// The alert that this one came with, to wake the app.
  public var of: UInt64?
  public var isVisible: Bool
  public var hasMutableContent: Bool
  /// It came with a badge or a sound and without an alert; else the member is not there.
  public var isBadgeOrSound: Bool?
  public var wall: Int64
  public var at: Int64
  /// What became of it, as far as there is anything to say, and since when.
  public var fate: String?
  /// The same for programs.
  public var fateCode: PushFateCode?
  /// `PushFate.detail`.
  public var fateDetail: String?
  /// What was done of a badge or a sound without an alert.
  public var appliedBadge: Int?
  public var appliedSound: String?
  public var fateWall: Int64?
  public var fateAt: Int64?

  enum CodingKeys: String, CodingKey {
    case id, of
    case isVisible = "visible"
    case hasMutableContent = "mutable_content"
    case isBadgeOrSound = "badge_or_sound"
    case wall = "wall_ns"
    case at = "at_ns"
    case fate, fateCode, fateDetail, appliedBadge, appliedSound
    case fateWall = "fate_wall_ns"
    case fateAt = "fate_at_ns"
  }

  public init(
    id: UInt64, of: UInt64? = nil, isVisible: Bool, hasMutableContent: Bool, isBadgeOrSound: Bool? = nil,
    wall: Int64, at: Int64, fate: String? = nil, fateCode: PushFateCode? = nil, fateDetail: String? = nil,
    appliedBadge: Int? = nil, appliedSound: String? = nil, fateWall: Int64? = nil
  ) {
    self.id = id
    self.of = of
    self.isVisible = isVisible
    self.hasMutableContent = hasMutableContent
    self.isBadgeOrSound = isBadgeOrSound
    self.wall = wall
    self.at = at
    self.fate = fate
    self.fateCode = fateCode
    self.fateDetail = fateDetail
    self.appliedBadge = appliedBadge
    self.appliedSound = appliedSound
    self.fateWall = fateWall
  }

  public var isSilent: Bool { !isVisible && isBadgeOrSound != true }
}

import Ground
import JSON
import PhonePolicy

/// One push, and what became of it, as iosd has written it down.
struct PushFacts: Hashable, Sendable {
  var id: UInt64
  var isVisible: Bool
  /// It had a badge or a sound, and no alert.
  var isBadgeOrSound = false
  var at: Instant
  /// When it came by the clock on the phone's wall: the other begins anew with each boot.
  var wallNanoseconds: Int64
  /// The alert that it came with, to wake the app.
  var of: UInt64?
  var fate: String?
  /// The same for programs; rows of an older phone have none.
  var fateCode: PushFateCode?
  /// Which one of its kind.
  var fateDetail: String?
  var appliedBadge: Int64?
  var appliedSound: String?
  /// Of a silent one, from its arrival at the app.
  var time: SilentPushTime?

  init?(_ row: JSONValue) {
    guard let id = row["id"]?.uint, let isVisible = row["visible"]?.flag, let at = row["at_ns"]?.int,
      let wall = row["wall_ns"]?.int
    else {
      return nil
    }
    self.id = id
    self.isVisible = isVisible
    self.at = Instant(nanoseconds: at)
    wallNanoseconds = wall
    of = row["of"]?.uint
    isBadgeOrSound = row["badge_or_sound"]?.flag == true
    fate = row["fate"]?.text
    fateCode = (row["fate_code"]?.text).flatMap(PushFateCode.init)
    fateDetail = row["fate_detail"]?.text
    appliedBadge = row["applied_badge"]?.int
    appliedSound = row["applied_sound"]?.text
  }

  var isSilent: Bool { !isVisible && !isBadgeOrSound }

  var hasReceived: Bool { fateCode == .completed && fateDetail == SilentPushResult.newData.rawValue }

  /// The app was woken by it for a payment and is done with it, without the payment.
  var isLeftToVisible: Bool {
    guard time?.isWakingForPayment == true, !hasReceived else { return false }
    return fateCode == .completed || fateCode == .expired || fateCode == .abandoned
  }
}

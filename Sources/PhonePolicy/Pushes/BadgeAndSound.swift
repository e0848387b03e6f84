/// The effects of a push without an alert: badge and sound.
public struct BadgeAndSound: Hashable, Codable, Sendable {
  /// The icon's new badge; 0 removes it.
  public var badge: Int?
  public var sound: String?
  /// Decides whether the sound is played while a Focus is on.
  public var level: InterruptionLevel

  public init(badge: Int? = nil, sound: String? = nil, level: InterruptionLevel = .active) {
    self.badge = badge
    self.sound = sound
    self.level = level
  }

  /// As it continues "no notification: …".
  var words: String {
    let number = badge.map { $0 == 0 ? "the badge is removed" : "the badge is \($0)" }
    let all = [number, sound.map { "the sound \($0) is played" }].compactMap { $0 }
    return all.isEmpty ? "a Focus is on, so the sound is not played" : all.joined(separator: ", and ")
  }
}

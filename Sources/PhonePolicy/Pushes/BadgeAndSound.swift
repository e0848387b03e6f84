/// What a push does without an alert: a number on the wallet's icon, a sound.
public struct BadgeAndSound: Hashable, Codable, Sendable {
  /// The number that the icon has from then on; 0 takes it away.
  public var badge: Int?
  public var sound: String?
  /// Of the sound: whether it is played while a Focus is on.
  public var level: InterruptionLevel

  public init(badge: Int? = nil, sound: String? = nil, level: InterruptionLevel = .active) {
    self.badge = badge
    self.sound = sound
    self.level = level
  }

  /// As it continues "no notification: …".
  var words: String {
    let number = badge.map { $0 == 0 ? "the badge is taken away" : "the badge is \($0)" }
    let all = [number, sound.map { "the sound \($0) is played" }].compactMap { $0 }
    return all.isEmpty ? "a Focus is on, and its sound is not played" : all.joined(separator: ", and ")
  }
}

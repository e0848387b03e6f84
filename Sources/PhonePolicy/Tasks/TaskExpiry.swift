/// Why a run expires.
public enum TaskExpiry: String, Hashable, Codable, Sendable, CustomStringConvertible {
  case timeUp
  case phoneInUse
  case chargerGone
  case byHand

  public var description: String {
    switch self {
    case .timeUp: "its time was up"
    case .phoneInUse: "the user picked up the phone"
    case .chargerGone: "the charger was unplugged"
    case .byHand: "it was expired by hand"
    }
  }
}

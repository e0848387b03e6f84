/// Why a claim was made. The code is kept with the row; the sentence is made where it is shown.
public enum ClaimReason: String, Hashable, Codable, Sendable, CaseIterable {
  case neverClaimed = "never-claimed"
  /// The holder's last beat says so.
  case holderReleased = "holder-released"
  /// Its lock is free, and it had not released.
  case holderDied = "holder-died"
  /// Its lock is held, and nothing was heard for as long as the rule says.
  case holderStale = "holder-silent"
  /// It ended with an earlier boot of the phone, and had not released.
  case earlierBoot = "holder-of-earlier-boot"
  case raised = "raised-above-peer"
  case movedHere = "raised-to-move-here"
  /// What earlier versions wrote for all that left the lock free.
  case holderGone = "holder-gone"

  public var sentence: String {
    switch self {
    case .neverClaimed: "never claimed before"
    case .holderReleased: "the holder released it"
    case .holderDied: "the holder died without a release"
    case .holderStale: "the holder went silent"
    case .earlierBoot: "the phone was started again since the last claim"
    case .raised: "the peer knew a higher epoch"
    case .movedHere: "the user moved the wallet here"
    case .holderGone: "the holder is gone"
    }
  }

  /// From a row: earlier versions kept the sentence.
  public init?(stored word: String) {
    guard let reason = Self.allCases.first(where: { $0.rawValue == word || $0.sentence == word }) else {
      return nil
    }
    self = reason
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let reason = Self(stored: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no reason of a claim")
    }
    self = reason
  }
}

/// Why a claim was made. The row stores the code; the sentence is made where it is shown.
public enum ClaimReason: String, Hashable, Codable, Sendable, CaseIterable {
  case neverClaimed = "never-claimed"
  /// The holder's last beat has the phase `released`.
  case holderReleased = "holder-released"
  /// The holder's lock is free, and the holder had not released.
  case holderDied = "holder-died"
  /// The holder's lock is busy, and its beats stopped for as long as the rule demands.
  case holderStale = "holder-silent"
  /// The holder ended with an earlier boot of the phone, and had not released.
  case earlierBoot = "holder-of-earlier-boot"
  case raised = "raised-above-peer"
  case movedHere = "raised-to-move-here"
  /// Written by earlier versions for every free lock.
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

  /// From a row: earlier versions stored a sentence.
  public init?(stored word: String) {
    guard let reason = Self(rawValue: word) ?? Self.olderWords[word] else { return nil }
    self = reason
  }

  /// As they were stored then: these do not change with the sentences of today.
  private static let olderWords: [String: ClaimReason] = [
    "never claimed before": .neverClaimed, "the holder released it": .holderReleased,
    "the holder died without a release": .holderDied, "the holder went silent": .holderStale,
    "the phone was started again since the last claim": .earlierBoot,
    "the peer knew a higher epoch": .raised, "the user moved the wallet here": .movedHere,
    "the holder is gone": .holderGone,
  ]

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let reason = Self(stored: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no reason of a claim")
    }
    self = reason
  }
}

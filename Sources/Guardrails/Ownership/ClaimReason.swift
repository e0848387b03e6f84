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

  public var sentence: String {
    switch self {
    case .neverClaimed: "never claimed before"
    case .holderReleased: "the holder released it"
    case .holderDied: "the holder died without a release"
    case .holderStale: "the holder went silent"
    case .earlierBoot: "the phone was started again since the last claim"
    case .raised: "the peer knew a higher epoch"
    case .movedHere: "the user moved the wallet here"
    }
  }
}

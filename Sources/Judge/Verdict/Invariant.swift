/// The invariants, by their numbers in docs/judge.md.
public enum Invariant: Int, Hashable, Codable, Sendable, CaseIterable {
  case exclusion = 1
  case noStateGoesBack
  case paymentsOnce
  case nothingIsGone
  case notifications
  case progress
  case limits
  case secrets
  case tellingExtension

  public var name: String {
    switch self {
    case .exclusion: "one process holds the node at a time"
    case .noStateGoesBack: "no channel state goes back"
    case .paymentsOnce: "each payment settles once, equal on both sides"
    case .nothingIsGone: "nothing acknowledged is gone"
    case .notifications: "one notification for each visible push"
    case .progress: "all settles in the end"
    case .limits: "the extension keeps its limits"
    case .secrets: "no secret is readable"
    case .tellingExtension: "an extension that only notifies has no node"
    }
  }

  /// `invariant 4 (nothing acknowledged is gone)`.
  public var title: String { "invariant \(rawValue) (\(name))" }
}

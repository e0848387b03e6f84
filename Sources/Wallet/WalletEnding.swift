import Guardrails

/// Why a wallet process ends, in one word for programs, beside its sentence.
public enum WalletEnding: String, Hashable, Sendable {
  case fenced
  case terminated
  case containerLost = "container-lost"
  /// It cannot be opened.
  case containerUnusable = "container-unusable"
  /// The phone does not give the seed out now.
  case seedWithheld = "seed-withheld"
  case seedUnusable = "seed-unusable"
  case failed

  public init(_ reason: EndReason) {
    switch reason {
    case .fenced: self = .fenced
    case .terminated: self = .terminated
    case .containerLost: self = .containerLost
    }
  }
}

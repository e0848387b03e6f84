/// Why a wallet process ends, as a code beside its sentence.
public enum WalletEnding: String, Hashable, Sendable {
  case fenced
  case terminated
  case containerLost = "container-lost"
  /// The container cannot be opened.
  case containerUnusable = "container-unusable"
  /// The phone withholds the seed now.
  case seedWithheld = "seed-withheld"
  case seedUnusable = "seed-unusable"
  /// The extension, before the app has made the wallet.
  case noWallet = "no-wallet"
  case failed

  public init(_ reason: EndReason) { self = WalletEnding(rawValue: reason.rawValue) ?? .failed }
}

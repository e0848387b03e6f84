/// What the judge must know of a wallet by its name, as it shares no rule with the programs. A test compares these names
/// with the wallets that Baton has.
enum KnownWallets {
  /// Values of `--wallet` whose extension only notifies.
  static let telling: Set = ["bitkit"]
  /// Forms of pushes with a silent one and an alert for each payment.
  static let announcing: Set = ["bitkit"]
}

extension LedgerEvidence {
  /// The peer that ran then announced each payment.
  func announces(at instantNs: Int64) -> Bool {
    run(at: instantNs).map { KnownWallets.announcing.contains($0.pushForm) } ?? false
  }
}

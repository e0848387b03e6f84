import Ground

/// The channel's initial state. No funding flow is recorded: the peer's first journal has its initial state; without
/// that journal it is derived from the ledger's final row and the payments.
struct ChannelOpening {
  let view: ChannelView?

  init(evidence: Evidence) {
    guard let row = evidence.ledger.channels.first else {
      view = nil
      return
    }
    let core = evidence.ledger.wallet == 1 ? "peer" : "peer-\(evidence.ledger.wallet)"
    let record = evidence.journals(of: "lspd").lazy.compactMap { $0.configurations(of: core).first }.first
    let balances = record.flatMap(Self.balances) ?? Self.derived(from: row, evidence)
    view = ChannelView(
      channel: row.id, opener: row.isOpener != 0 ? .peer : .wallet, walletMsat: balances.wallet,
      peerMsat: balances.peer)
  }

  /// Nil if the recorded channel had any update already.
  private static func balances(_ record: JSONValue) -> (wallet: UInt64, peer: UInt64)? {
    guard let peer = record["localMsat"]?.integer, let wallet = record["remoteMsat"]?.integer,
      record["localCommitmentNumber"]?.integer == 0, record["remoteCommitmentNumber"]?.integer == 0,
      record["htlcs"]?.items.isEmpty == true, record["splicedTo"]?["index"] == nil, peer >= 0, wallet >= 0
    else { return nil }
    return (UInt64(wallet), UInt64(peer))
  }

  private static func derived(
    from row: ChannelEntry, _ evidence: Evidence
  ) -> (wallet: UInt64, peer: UInt64) {
    let ledger = evidence.ledger
    let paid = ledger.payments.filter(\.isPaid)
    let open = ledger.htlcs.filter { htlc in
      htlc.direction == "offered" && ledger.payments(htlc.paymentHash).paid.isEmpty
    }
    let gone = paid.map(\.amountMsat) + open.map(\.amountMsat)
    let all = ledger.htlcs.map(\.amountMsat) + [row.localMsat, row.remoteMsat]
    // The wallet's paid amounts are the peer's, except for those still in an HTLC.
    let inChannel = Dictionary(
      ledger.htlcs.filter { $0.direction != "offered" }.map { ($0.id, $0.paymentHash) }
    ) { first, _ in first }
    let came = evidence.wallet.sent.filter { $0.isPaid && inChannel[$0.htlc] != $0.paymentHash }
    let peer = (gone + [row.localMsat]).reduce(0, &+) &- came.map(\.amountMsat).reduce(0, &+)
    // Amounts withdrawn on chain were the wallet's.
    let taken = ledger.splices.filter { $0.state == "done" }.map(\.takenMsat).reduce(0, &+)
    let wallet = all.reduce(0, &+) &- peer &+ taken
    return (UInt64(clamping: wallet), UInt64(clamping: peer))
  }
}

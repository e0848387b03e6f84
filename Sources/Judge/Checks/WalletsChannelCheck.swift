// Invariants 2 and 4, at the wallet: its `channels` row is where the frames lead, but for what may still be in
// flight.
//
// Legal are exactly these differences: messages of the peer's at the end of its part that the wallet has not taken
// in yet (at most one commitment and one revocation, and the updates around them), and steps of the wallet's own
// that are durable and not at the peer yet (at most one revocation and one commitment, with the removals they
// cover).
extension Hearing {
  ///
  /// A container that the wallet has left stands where it was then.
  mutating func checkWalletsChannel(_ replay: PeerReplay) {
    let moves = evidence.moves
    let sequence =
      moves.lastFrame.map { last in replay.sequence.filter { $0.frame < last } } ?? replay.sequence
    guard let row = evidence.wallet.channels.first else {
      if sequence.contains(where: { $0.by == .wallet && moves.isHere(frame: $0.frame) }) {
        find(
          4, "The wallet has driven the channel, but its database has no row of it", ["node.sqlite channels"])
      }
      return
    }
    guard evidence.wallet.channels.count == 1 else {
      find(
        2, "The wallet's database has \(evidence.wallet.channels.count) channels", ["node.sqlite channels"])
      return
    }
    guard let opening = replay.opening else { return }
    let account = ChannelAccount(
      row: row, htlcs: Array(evidence.wallet.htlcs), splices: Array(evidence.wallet.splices),
      isRestored: evidence.wallet.isRestored, end: .wallet)
    var fewest: [String]?
    for view in WalletViews(opening: opening, sequence: sequence, rows: Array(evidence.wallet.htlcs))
      .all()
    {
      let differences = account.differences(from: view)
      if differences.count < fewest?.count ?? .max { fewest = differences }
      if differences.isEmpty { break }
    }
    if let fewest, !fewest.isEmpty {
      find(
        2,
        "The wallet's channel row does not follow from the messages at the peer, even with messages in flight: "
          + fewest.joined(separator: "; "),
        ["node.sqlite channels", "node.sqlite htlcs", "node.sqlite splices"])
    }
  }

  /// The last fenced write that names a revision is the one the row shows.
  mutating func checkRevision() {
    guard evidence.wallet.channels.count == 1, let row = evidence.wallet.channels.first,
      let last = evidence.wallet.writes.last(where: { $0.summary?.revision != nil }),
      let revision = last.summary?.revision, revision != row.revision
    else { return }
    find(
      2, "The wallet's channel is at revision \(row.revision), but its last write made it \(revision)",
      ["node.sqlite channels", last.evidence])
  }
}

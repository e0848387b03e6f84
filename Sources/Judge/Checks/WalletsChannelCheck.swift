// Invariants 2 and 4, at the wallet: its `channels` row follows from the frames, except for messages in flight.
//
// Legal differences: the peer's last messages that the wallet has not received (at most one commitment and one
// revocation, and the updates around them), and the wallet's durable steps that the peer has not received (at most
// one revocation and one commitment, with the removals they cover).
extension Checker {
  /// A container that the wallet has left must be at the state of that moment.
  mutating func checkWalletsChannel(_ replay: PeerReplay) {
    let moves = evidence.moves
    let sequence =
      moves.lastFrame.map { last in replay.sequence.filter { $0.frame < last } } ?? replay.sequence
    guard let row = evidence.wallet.channels.first else {
      if sequence.contains(where: { $0.by == .wallet && moves.isHere(frame: $0.frame) }) {
        find(.channelRowMissing, at: [.wallet("channels")])
      }
      return
    }
    guard evidence.wallet.channels.count == 1 else {
      find(.channelCount, evidence.wallet.channels.count, at: [.wallet("channels")])
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
        .channelDiffers, fewest.joined(separator: "; "),
        at: [.wallet("channels"), .wallet("htlcs"), .wallet("splices")])
    }
  }

  /// The row has the revision of the last write that names one.
  mutating func checkRevision() {
    guard evidence.wallet.channels.count == 1, let row = evidence.wallet.channels.first,
      let last = evidence.wallet.writes.last(where: { $0.summary?.revision != nil }),
      let revision = last.summary?.revision, revision != row.revision
    else { return }
    find(.revisionDiffers, row.revision, revision, at: [.wallet("channels"), last.row])
  }
}

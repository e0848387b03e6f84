// Invariants 2 and 4, in the peer's ledger alone: recorded data loss, and the wallet's backups.
extension Checker {
  mutating func checkLosses() {
    for loss in evidence.ledger.losses {
      find(
        .stateLost, loss.connection,
        loss.whose == "wallet" ? "the wallet was behind the peer's" : "the peer was behind the wallet's",
        at: [loss.row])
    }
  }

  /// Invariant 4: the peer stores the wallet's backups, in order; nothing else is left when the wallet's database is lost.
  mutating func checkBackups() {
    let kept = evidence.ledger.backups
    var next = 0
    for frame in frames where frame.entry.isIn && frame.entry.isActedOn {
      guard case .storage(let hash)? = frame.message else { continue }
      if next < kept.count, kept[next].has(hash: hash) {
        next += 1
      } else if evidence.ledger.run(at: frame.entry.atNs)?.storageDelayNs ?? 0 == 0 {
        return find(.backupsDiffer, at: [.ledger("backups")])
      }
    }
    guard next == kept.count else { return find(.backupsDiffer, at: [kept[next].row]) }
    if let newest = kept.last, newest.isOnlyHash { find(.backupOnlyHash, at: [newest.row]) }
  }
}

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
    for view in WalletViews(opening: opening, sequence: sequence, rows: Array(evidence.wallet.htlcs)).all() {
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

// Invariants 1 and 4: what the peer processes was durable in the wallet under the same epoch before.
extension Checker {
  /// One fenced write releases one bundle of messages: a backup, then at most one revocation and one commitment. So
  /// the n-th bundle of an epoch needs n earlier writes of that epoch.
  ///
  /// The first bundle of a connection may instead retransmit, without a backup, a bundle that is durable under an
  /// earlier epoch, if the earlier epochs made more writes than the peer received bundles. A first bundle that
  /// retransmits splice messages is not counted.
  mutating func checkDurability(_ replay: PeerReplay) {
    let bundles = bundles(replay)
    var earlierBundles = 0
    var arrivals = evidence.moves.arrivals[...]
    let writes = evidence.wallet.writes.filter { $0.summary?.revision != nil }.map(\.epoch).sorted()
    for claim in evidence.wallet.claims {
      let own = evidence.wallet.sum(of: claim.epoch).revisionsNs.sorted()
      let earlierWrites = writes.countOfThose(upTo: claim.epoch &- 1)
      var needed = 0
      for bundle in bundles[claim.epoch] ?? [] {
        if bundle.mayRepeat, bundle.isOfSplice { continue }
        // A retransmitted bundle may be durable in the previous container.
        if let arrival = arrivals.first, arrival.frame < bundle.frame {
          arrivals = arrivals.drop { $0.frame < bundle.frame }
          if bundle.mayRepeat { continue }
        }
        if bundle.mayRepeat, earlierWrites > earlierBundles {
          earlierBundles += 1
          continue
        }
        needed += 1
        let durable = own.countOfThose(upTo: bundle.atNs)
        guard durable < needed else { continue }
        find(
          .processedBeforeDurable, bundle.name, bundle.frame, claim.epoch, countWords(needed, "write"),
          durable, at: [.frame(bundle.frame), claim.row])
        break
      }
      earlierBundles += needed
    }
  }

  /// The bundles, by the epoch of their connection.
  private func bundles(_ replay: PeerReplay) -> [Int64: [FrameBundle]] {
    var bundlers: [Int64: FrameBundler] = [:]
    for frame in frames where frame.entry.isIn && frame.entry.isActedOn {
      guard let connection = evidence.ledger.connection(frame.entry.connection), connection.isAccepted,
        let epoch = connection.epoch, !isOfOtherContainer(connection)
      else { continue }
      bundlers[epoch, default: FrameBundler()].take(
        frame, isOfSplice: replay.spliceFrames.contains(frame.entry.id))
    }
    return bundlers.mapValues(\.bundles)
  }
}

/// Messages that one write of the wallet released.
struct FrameBundle {
  let frame: Int64
  let atNs: Int64
  let name: String
  let mayRepeat: Bool
  var hasCommitment = false
  var hasRevocation = false
  var isOfSplice = false
}

/// Groups the frames of one epoch into bundles.
private struct FrameBundler {
  private(set) var bundles: [FrameBundle] = []
  private var isOpen = false
  private var isFirst = false

  mutating func take(_ frame: ReadFrame, isOfSplice: Bool) {
    guard case .step(let step)? = frame.message, step.bindsWallet else {
      isOpen = false
      switch frame.message {
      case .reestablish?: isFirst = true
      // Not about the channel: the wallet pings right after its channel_reestablish.
      case .ping?, .pong?, .other?: break
      default: isFirst = false
      }
      return
    }
    var last = isOpen ? bundles.popLast() : nil
    switch step {
    case .commit where last?.hasCommitment == true, .revoke where last?.hasRevocation == true,
      .splice(.signatures) where last != nil:
      if let last { bundles.append(last) }
      last = nil
    default: break
    }
    var bundle =
      last ?? FrameBundle(frame: frame.entry.id, atNs: frame.entry.atNs, name: frame.name, mayRepeat: isFirst)
    if isOfSplice { bundle.isOfSplice = true }
    if case .commit = step { bundle.hasCommitment = true }
    if case .revoke = step { bundle.hasRevocation = true }
    bundles.append(bundle)
    isOpen = true
    isFirst = false
  }
}

extension ChannelStep {
  /// Messages that must be durable before they are sent. Splice negotiation need not be.
  fileprivate var bindsWallet: Bool {
    switch self {
    case .splice(.complete), .splice(.signatures), .splice(.locked): true
    case .splice: false
    case .add, .fulfil, .fail, .failMalformed, .fee, .commit, .revoke: true
    }
  }
}

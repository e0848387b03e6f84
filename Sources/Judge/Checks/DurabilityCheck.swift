// Invariants 1 and 4: the peer acted on nothing that the wallet had not written down under the same epoch before.
extension Hearing {
  /// What one fenced write lets out leaves together: at most one revocation and one commitment, with a backup in
  /// front. So the n-th such bundle of an epoch needs n writes of that epoch, made before it came.
  ///
  /// The first bundle of a connection may instead repeat what got lost with an earlier one, without a backup in
  /// front: it is durable under an earlier epoch, which then has made more writes than the peer has seen bundles of.
  /// What is said again of a splice, and it says so in the first bundle of a connection, too, is left out.
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
        // What it repeats may have been durable in the container of before.
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
          1,
          "The peer processed \(bundle.name) (frame \(bundle.frame)) of epoch \(claim.epoch), which is step "
            + "\(needed) of that epoch, when the wallet had made \(durable) writes under it",
          ["ledger frames \(bundle.frame)", claim.evidence])
        break
      }
      earlierBundles += needed
    }
  }

  /// By the epoch of their connections.
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

/// What the wallet said together.
struct FrameBundle {
  let frame: Int64
  let atNs: Int64
  let name: String
  let mayRepeat: Bool
  var hasCommitment = false
  var hasRevocation = false
  var isOfSplice = false
}

/// Puts the frames of one epoch together.
private struct FrameBundler {
  private(set) var bundles: [FrameBundle] = []
  private var isOpen = false
  private var isFirst = false

  mutating func take(_ frame: ReadFrame, isOfSplice: Bool) {
    guard case .step(let step)? = frame.message, step.bindsWallet else {
      isOpen = false
      switch frame.message {
      case .reestablish?: isFirst = true
      // They say nothing of the channel: the wallet pings right behind its reestablish.
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
      last
      ?? FrameBundle(frame: frame.entry.id, atNs: frame.entry.atNs, name: frame.name, mayRepeat: isFirst)
    if isOfSplice { bundle.isOfSplice = true }
    if case .commit = step { bundle.hasCommitment = true }
    if case .revoke = step { bundle.hasRevocation = true }
    bundles.append(bundle)
    isOpen = true
    isFirst = false
  }
}

extension ChannelStep {
  /// What is durable before it is said. What the two only talk of is not.
  fileprivate var bindsWallet: Bool {
    switch self {
    case .splice(.complete), .splice(.signatures), .splice(.locked): true
    case .splice: false
    case .add, .fulfil, .fail, .failMalformed, .fee, .commit, .revoke: true
    }
  }
}

// Which connection is registered: the peer's fencing rule, applied again to every `init`.
extension PeerReplay {
  mutating func judge(_ claim: FenceClaim?, replacing: ReplacedFenceClaim?, _ frame: ReadFrame) {
    let id = frame.entry.connection
    let entry = evidence.ledger.connection(id)
    let isLegacy = evidence.ledger.run(at: frame.entry.atNs)?.legacy == 1
    let verdict = Self.verdict(on: claim, replacing: replacing, known: fence, isLegacy: isLegacy)
    let rows = entry.map { [$0.row] } ?? []
    if entry?.verdict != verdict {
      find(
        .connectionMisjudged, id, claim.map { "\($0.epoch)" } ?? "none", entry?.verdict ?? "not at all",
        verdict, fence.map { ", as it knew epoch \($0.epoch)" } ?? "", at: frame, rows)
    }
    if entry?.epoch != claim?.epoch || entry?.incarnation != claim?.incarnation
      || entry?.container != claim?.container
    {
      find(.connectionClaimDiffers, id, frame.entry.id, at: frame, rows)
    }
    links[id, default: Link()].state = .refused
    guard entry?.isAccepted ?? (verdict == "accepted") else { return }
    accept(claim, frame)
  }

  /// A connection of another node than the wallet's. Its frames are not judged, unless they concern the channel.
  func isOtherNode(_ connection: Int64) -> Bool {
    guard let entry = evidence.ledger.connection(connection), let node = entry.node
    else { return false }
    guard let wallet else { return entry.verdict == "visitor" }
    return node != wallet
  }

  mutating func judgeOtherNode(_ frame: ReadFrame) {
    let id = frame.entry.connection
    let entry = evidence.ledger.connection(id)
    if let verdict = entry?.verdict, verdict != "visitor" || entry?.epoch != nil {
      find(.otherNodeAccepted, id, verdict, at: frame, entry.map { [$0.row] } ?? [])
    }
    switch frame.message {
    case .storage, .retrieval, .reestablish, .step:
      guard frame.entry.isActedOn else { return }
      find(.otherNodeServed, frame.name, at: frame)
    default: break
    }
  }

  static func verdict(
    on claim: FenceClaim?, replacing: ReplacedFenceClaim?, known: FenceClaim?, isLegacy: Bool
  ) -> String {
    guard !isLegacy else { return "unfenced" }
    guard let claim else { return known == nil ? "unfenced" : "refused-without-fence" }
    guard let known else { return "accepted" }
    if claim.container != known.container {
      let takesPlace = replacing == ReplacedFenceClaim(epoch: known.epoch, container: known.container)
      return takesPlace && claim.epoch > known.epoch ? "accepted" : "refused-other-container"
    }
    if claim.epoch < known.epoch { return "refused-lower-epoch" }
    if claim.epoch == known.epoch, claim.incarnation != known.incarnation {
      return "refused-other-incarnation"
    }
    return "accepted"
  }

  private mutating func accept(_ claim: FenceClaim?, _ frame: ReadFrame) {
    let id = frame.entry.connection
    if let older = registered, older != id { links[older]?.state = .evicted }
    // The end of the older connection drops the wallet's updates without a commitment.
    view?.forgetUnsigned(by: .wallet)
    sequence.forgetUnsigned()
    endNegotiation(frame)
    links[id]?.state = .registered
    registered = id
    wallet = wallet ?? evidence.ledger.connection(id)?.node
    accepted.append((id, frame.entry.id))
    if let claim, claim != fence, entryIsFenced(id) {
      fence = claim
      raisedFences.append((claim, frame.entry.atNs))
    }
  }

  private func entryIsFenced(_ id: Int64) -> Bool {
    evidence.ledger.connection(id)?.verdict == "accepted"
  }
}

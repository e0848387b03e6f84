// Invariants 1 and 4: the peer acted on nothing that the wallet had not written down under the same epoch before.
extension Hearing {
  /// What one fenced write lets out leaves together: at most one revocation and one commitment, with a backup in front.
  /// So the n-th such bundle of an epoch needs n writes of that epoch, made before it came.
  mutating func checkDurability(_ replay: PeerReplay) {
    for claim in evidence.wallet.claims {
      let writes = evidence.wallet.writes.filter { write in
        write.epoch == claim.epoch && WriteSummary(write.what)?.revision != nil
      }
      for (index, bundle) in bundles(of: claim.epoch).enumerated() {
        let durable = writes.filter { $0.atNs <= bundle.atNs }.count
        guard durable < index + 1 else { continue }
        find(
          1,
          "The peer acted on \(bundle.name) (frame \(bundle.frame)) of epoch \(claim.epoch), which is step "
            + "\(index + 1) of that epoch, when the wallet had made \(durable) writes under it",
          ["ledger frames \(bundle.frame)", claim.evidence])
        break
      }
    }
  }

  private struct Bundle {
    let frame: Int64
    let atNs: Int64
    let name: String
    var hasCommitment = false
    var hasRevocation = false
  }

  private func bundles(of epoch: Int64) -> [Bundle] {
    let connections = Set(evidence.ledger.connections.filter { $0.epoch == epoch && $0.isAccepted }.map(\.id))
    var bundles: [Bundle] = []
    var isOpen = false
    for frame in frames where frame.entry.isIn && frame.entry.isActedOn && connections.contains(frame.entry.connection) {
      guard case .step(let step)? = frame.message else {
        isOpen = false
        continue
      }
      var last = isOpen ? bundles.popLast() : nil
      switch step {
      case .commit where last?.hasCommitment == true, .revoke where last?.hasRevocation == true:
        if let last { bundles.append(last) }
        last = nil
      default: break
      }
      var bundle = last ?? Bundle(frame: frame.entry.id, atNs: frame.entry.atNs, name: frame.name)
      if case .commit = step { bundle.hasCommitment = true }
      if case .revoke = step { bundle.hasRevocation = true }
      bundles.append(bundle)
      isOpen = true
    }
    return bundles
  }
}

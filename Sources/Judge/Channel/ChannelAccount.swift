/// The channel in one side's database: its row, and its rows of open HTLCs and splices.
struct ChannelAccount {
  let row: ChannelEntry
  let htlcs: [HTLCEntry]
  let splices: [SpliceEntry]
  /// Restored from a backup: splices that only the lost database had may be missing.
  var isRestored = false
  let end: ChannelEnd

  /// The differences from the model, as sentences.
  func differences(from view: ChannelView) -> [String] {
    var differences: [String] = []
    func compare(_ name: String, _ ours: Int64, _ theirs: UInt64) {
      if ours < 0 || UInt64(ours) != theirs { differences.append("\(name) is \(ours) and must be \(theirs)") }
    }
    let other = end.other
    if row.id != view.channel { differences.append("id is of another channel") }
    compare("is_opener", row.isOpener, view.opener == end ? 1 : 0)
    compare("local_msat", row.localMsat, view.balanceMsat[end])
    compare("remote_msat", row.remoteMsat, view.balanceMsat[other])
    compare("local_commitment_number", row.localCommitmentNumber, view.commitmentsSigned[other])
    compare("remote_commitment_number", row.remoteCommitmentNumber, view.commitmentsSigned[end])
    compare("revocations_sent", row.revocationsSent, view.revocationsSent[end])
    compare("revocations_received", row.revocationsReceived, view.revocationsSent[other])
    compare("next_offered_id", row.nextOfferedID, view.nextID[end])
    compare("next_received_id", row.nextReceivedID, view.nextID[other])
    compare("sent_revocation_last", row.sentRevocationLast, view.revokedLast[end] ? 1 : 0)
    if row.lastReceivedSecret != view.lastSecret[other] {
      differences.append("last_received_secret is not the one that was revealed last")
    }
    return differences + htlcDifferences(from: view) + spliceDifferences(from: view)
  }

  private func htlcDifferences(from view: ChannelView) -> [String] {
    var differences: [String] = []
    let rows = Dictionary(htlcs.map { (HTLCName($0.direction, UInt64(bitPattern: $0.id)), $0) }) { first, _ in
      first
    }
    let known = Set(view.htlcs.map { HTLCName($0.offeredBy == end ? "offered" : "received", $0.id) })
    for htlc in view.htlcs {
      let direction = htlc.offeredBy == end ? "offered" : "received"
      guard let entry = rows[HTLCName(direction, htlc.id)] else {
        differences.append("the \(direction) HTLC \(htlc.id) is missing")
        continue
      }
      if !matches(entry, htlc) {
        differences.append(
          "the \(direction) HTLC \(htlc.id) (\(amountWords(entry.amountMsat)), \(entry.state)) differs from "
            + "the one that the messages left pending (\(amountWords(htlc.amountMsat)), \(htlc.stateName(at: end)))"
        )
      }
    }
    for entry in htlcs {
      if !known.contains(HTLCName(entry.direction, UInt64(bitPattern: entry.id))) {
        differences.append(
          "the messages leave no \(entry.direction) HTLC \(entry.id) pending, but a row has it")
      }
    }
    return differences
  }

  private struct HTLCName: Hashable {
    let direction: String
    let id: UInt64

    init(_ direction: String, _ id: UInt64) {
      self.direction = direction
      self.id = id
    }
  }

  private func matches(_ entry: HTLCEntry, _ htlc: OpenHTLC) -> Bool {
    guard UInt64(bitPattern: entry.amountMsat) == htlc.amountMsat, entry.paymentHash == htlc.paymentHash,
      UInt64(bitPattern: entry.cltvExpiry) == htlc.cltvExpiry, entry.state == htlc.stateName(at: end),
      entry.channel == nil || entry.channel == row.id, entry.data == htlc.data
    else { return false }
    switch htlc.ending {
    case nil: return entry.removal == nil && entry.preimage == nil && entry.failureCode == nil
    case .failed(let code):
      return entry.removal == "failed" && entry.preimage == nil && entry.failureCode == code
    case .fulfilled(let preimage):
      // Only the side that learnt the preimage stores it; the side that revealed it must not.
      let isKept = htlc.offeredBy == end ? entry.preimage == preimage : entry.preimage == nil
      return entry.removal == "fulfilled" && isKept && entry.failureCode == nil
    }
  }
}

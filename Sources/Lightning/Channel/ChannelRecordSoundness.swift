import Ground
import Crypto

extension ChannelRecord {
  /// Refuses an invalid record from a database or a backup: later arithmetic relies on these checks.
  func checkSoundness() throws(ChannelError) {
    try checkCounters()
    try checkCapacity()
    try checkOrder()
    for htlc in htlcs { try check(htlc) }
    if let splice { try check(splice) }
  }

  private func checkCounters() throws(ChannelError) {
    let counters = [
      localCommitmentNumber, remoteCommitmentNumber, revocationsSent, revocationsReceived, nextOfferedID,
      nextReceivedID, revision,
    ]
    guard counters.allSatisfy({ $0 < ChannelRecord.counterLimit }) else { throw .damaged("a counter") }
    guard localCommitmentNumber &- revocationsSent <= 1, remoteCommitmentNumber &- revocationsReceived <= 1
    else { throw .damaged("the commitment numbers") }
    guard lastReceivedSecret == expectedLastReceivedSecret else { throw .damaged("the last secret") }
  }

  private var expectedLastReceivedSecret: Bytes32 {
    guard revocationsReceived > 0 else { return .zero }
    return PerCommitmentSecret.secret(channel: id, ofOpener: !isOpener, commitment: revocationsReceived - 1)
  }

  private func checkCapacity() throws(ChannelError) {
    var sum = localMsat
    for part in [remoteMsat] + htlcs.map(\.amountMsat) {
      let (next, overflowed) = sum.addingReportingOverflow(part)
      guard !overflowed else { throw .damaged("the balances") }
      sum = next
    }
    guard sum <= ChannelRecord.maximumCapacityMsat else { throw .damaged("the balances") }
  }

  private func checkOrder() throws(ChannelError) {
    guard count(.offered) <= ChannelRecord.maximumHTLCs, count(.received) <= ChannelRecord.maximumHTLCs
    else { throw .damaged("the number of HTLCs") }
    for (earlier, later) in zip(htlcs, htlcs.dropFirst()) {
      guard earlier.comes(before: later) else { throw .damaged("the order of HTLCs") }
    }
    // Uncommitted HTLCs are forgotten with the connection, and their ids used again: they must be the newest.
    let forgettable = htlcs.filter { $0.state == .receivedAdd }
    guard forgettable.allSatisfy({ nextReceivedID &- $0.id <= UInt64(forgettable.count) }) else {
      throw .damaged("the order of HTLCs")
    }
  }

  private func check(_ htlc: HTLC) throws(ChannelError) {
    let next = htlc.direction == .offered ? nextOfferedID : nextReceivedID
    guard htlc.id < next, htlc.amountMsat > 0, htlc.cltvExpiry > 0, htlc.cltvExpiry < HTLC.cltvExpiryLimit
    else { throw .damaged("HTLC \(htlc.id)") }
    guard htlc.state.isBeingRemoved == (htlc.removal != nil) else {
      throw .damaged("the removal of HTLC \(htlc.id)")
    }
    if case .fulfilled(let preimage) = htlc.removal {
      let fits = preimage.map { SHA256.hash($0.bytes) == htlc.paymentHash } ?? false
      guard htlc.direction == .offered ? fits : preimage == nil else {
        throw .damaged("the preimage of HTLC \(htlc.id)")
      }
    }
    if htlc.state.after(.revocationReceived) != .unmoved, !isCommitmentInFlight {
      throw .damaged("HTLC \(htlc.id) waits for a revocation by the peer that is not due")
    }
    if htlc.state.after(.revocationSent) != .unmoved, !isRevocationDue {
      throw .damaged("HTLC \(htlc.id) waits for a revocation by this side that is not due")
    }
  }

  /// The splice's columns must match its transaction.
  private func check(_ splice: PendingSplice) throws(ChannelError) {
    let balance = (splice.isOurs ? localMsat : remoteMsat) / 1000
    guard splice.amountSat <= balance, splice.feeSat <= balance - splice.amountSat else {
      throw .damaged("the amounts of the splice")
    }
    guard !isCommitmentInFlight, !isRevocationDue, htlcs.allSatisfy(\.state.isForGood) else {
      throw .damaged("uncommitted updates during a splice")
    }
    guard let transaction = try? BitcoinTransaction(decoding: splice.transaction.array),
      transaction.encodedWithoutWitnesses() == splice.transaction.array,
      transaction.inputs.map(\.outPoint) == [funding], transaction.outputs.count == 2, splice.fundingIndex < 2
    else { throw .damaged("the transaction of the splice") }
    let capacity = htlcs.reduce(localMsat &+ remoteMsat) { $0 &+ $1.amountMsat } / 1000
    let index = Int(splice.fundingIndex)
    guard transaction.outputs[index].satoshis == capacity - splice.amountSat - splice.feeSat,
      transaction.outputs[1 - index].satoshis == splice.amountSat
    else { throw .damaged("the outputs of the splice") }
  }
}

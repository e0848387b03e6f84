/// The transaction under negotiation.
struct SpliceDraft: Hashable, Codable, Sendable {
  var lockTime: UInt32
  var feeratePerKw: UInt32
  /// The channel's new capacity.
  var capacitySat: UInt64
  /// The amount withdrawn and the fee.
  var takenSat: UInt64
  var fundingScript: OutputScript
  var input: AddInput?
  var outputs: [AddOutput] = []

  /// In the order of the transaction.
  private var sorted: [AddOutput] { outputs.sorted { $0.serial < $1.serial } }

  var fundingIndex: Int? { sorted.firstIndex(where: isFunding) }

  private func isFunding(_ output: AddOutput) -> Bool {
    output.script == fundingScript.bytes && output.satoshis == capacitySat
  }

  private var paid: AddOutput? { outputs.first { !isFunding($0) } }
  var amountSat: UInt64 { paid?.satoshis ?? 0 }
  var target: OutputScript { OutputScript(paid?.script ?? []) }

  /// Nil without an input.
  var transaction: BitcoinTransaction? {
    guard let input, let previous = input.sharedInput else { return nil }
    return BitcoinTransaction(
      inputs: [
        TransactionInput(
          outPoint: OutPoint(transaction: previous, index: input.outputIndex), sequence: input.sequence)
      ],
      outputs: sorted.map { TransactionOutput(satoshis: $0.satoshis, script: OutputScript($0.script)) },
      lockTime: lockTime)
  }

  /// The negotiated splice; throws the reason for `tx_abort`.
  func finished(isOurs: Bool) throws(SpliceObjection) -> PendingSplice {
    guard let transaction else { throw .lacksFunding }
    guard outputs.count == 2, let fundingIndex, outputs.filter(isFunding).count == 1 else {
      throw .otherOutputs
    }
    let scripts = outputs.map { OutputScript($0.script) }
    let least = TransactionWeight.fee(TransactionWeight.splice(paying: scripts), perKw: feeratePerKw)
    guard amountSat <= takenSat, takenSat - amountSat >= least else { throw .feeTooLow(leastSat: least) }
    return PendingSplice(
      isOurs: isOurs, stage: .signing, transaction: Bytes(transaction.encodedWithoutWitnesses()),
      fundingIndex: UInt32(fundingIndex), amountSat: amountSat, feeSat: takenSat - amountSat)
  }
}

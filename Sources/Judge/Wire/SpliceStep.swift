import Ground

/// A message by which both ends take money out of the channel to the chain, or what a new connection says of one. The
/// ids of transactions are as they are hashed.
enum SpliceStep: Hashable {
  /// `stfu`
  case rest(isInitiator: Bool)
  case begin(contribution: Int64, feeratePerKw: UInt64, lockTime: UInt64, key: [UInt8])
  case agree(contribution: Int64, key: [UInt8])
  case input(serial: UInt64, outputIndex: UInt64, sequence: UInt64, spends: [UInt8])
  case output(serial: UInt64, satoshis: UInt64, script: [UInt8])
  case complete
  case signatures(txid: [UInt8])
  case abort(text: [UInt8])
  case locked(txid: [UInt8])
  /// What a `channel_reestablish` says of splices: the one that waits for signatures, and the newest that is done.
  case resume(next: [UInt8]?, needsCommitment: Bool, locked: [UInt8]?)
  /// What was only talked of is forgotten.
  case hangUp

  var name: String {
    switch self {
    case .rest: "stfu"
    case .begin: "splice_init"
    case .agree: "splice_ack"
    case .input: "tx_add_input"
    case .output: "tx_add_output"
    case .complete: "tx_complete"
    case .signatures: "tx_signatures"
    case .abort: "tx_abort"
    case .locked: "splice_locked"
    case .resume: "channel_reestablish"
    case .hangUp: "the end of a connection"
    }
  }
}

/// The id of a transaction as people write it: the other way round.
func transactionWords(_ txid: [UInt8]) -> String { Hexadecimal.encode(txid.reversed()) }

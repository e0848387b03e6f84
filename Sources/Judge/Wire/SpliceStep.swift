import Ground

/// A splice message, the splice fields of `channel_reestablish`, or a disconnect. Transaction ids are in the byte
/// order of the hash.
enum SpliceStep: Hashable {
  /// `stfu`
  case stfu(isInitiator: Bool)
  case begin(contribution: Int64, feeratePerKw: UInt64, lockTime: UInt64, key: [UInt8])
  case agree(contribution: Int64, key: [UInt8])
  case input(serial: UInt64, outputIndex: UInt64, sequence: UInt64, spends: [UInt8])
  case output(serial: UInt64, satoshis: UInt64, script: [UInt8])
  case complete
  case signatures(txid: [UInt8])
  case abort(text: [UInt8])
  case locked(txid: [UInt8])
  /// `channel_reestablish`: the splice that waits for signatures, and the newest locked one.
  case resume(next: [UInt8]?, needsCommitment: Bool, locked: [UInt8]?)
  /// Ends a negotiation.
  case disconnect

  var name: String {
    switch self {
    case .stfu: "stfu"
    case .begin: "splice_init"
    case .agree: "splice_ack"
    case .input: "tx_add_input"
    case .output: "tx_add_output"
    case .complete: "tx_complete"
    case .signatures: "tx_signatures"
    case .abort: "tx_abort"
    case .locked: "splice_locked"
    case .resume: "channel_reestablish"
    case .disconnect: "the end of a connection"
    }
  }
}

/// A txid in its usual display order, which is reversed.
func transactionWords(_ txid: [UInt8]) -> String { Hexadecimal.encode(txid.reversed()) }

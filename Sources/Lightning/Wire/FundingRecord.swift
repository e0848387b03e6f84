import Ground

/// The layout of both funding records of `channel_reestablish`: a transaction's id and a byte of flags.
enum FundingRecord {
  static func read(_ record: Bytes, type: UInt64) throws(WireError) -> (TransactionID, UInt8) {
    guard let flags = record.array.last, let hash = Bytes32(record.array.dropLast()) else {
      throw .malformedRecord(type)
    }
    return (TransactionID(hash: hash), flags)
  }

  static func write(_ transaction: TransactionID, _ flags: UInt8) -> Bytes {
    Bytes(transaction.hash.bytes + [flags])
  }
}

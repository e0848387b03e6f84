import Ground

// Records of the messages that negotiate a transaction.
extension RecordStream {
  /// BOLT 2 `require_confirmed_inputs`, which has no value.
  static let confirmedInputsType: UInt64 = 2

  mutating func takeConfirmedInputs() throws(WireError) -> Bool {
    guard let value = take(Self.confirmedInputsType) else { return false }
    guard value.count == 0 else { throw .malformedRecord(Self.confirmedInputsType) }
    return true
  }

  func with(confirmedInputs needed: Bool) -> RecordStream {
    with(Self.confirmedInputsType, needed ? [] : nil)
  }

  mutating func takeTransaction(_ type: UInt64) throws(WireError) -> TransactionID? {
    guard let value = take(type) else { return nil }
    guard let hash = Bytes32(value.array) else { throw .malformedRecord(type) }
    return TransactionID(hash: hash)
  }
}

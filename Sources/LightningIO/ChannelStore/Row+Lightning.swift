import Platform
import Ground
import Lightning

extension Row {
  public func bytes32(_ index: Int) throws -> Bytes32 {
    guard let value = Bytes32(try blob(index)) else { throw mismatch(index, "32 bytes") }
    return value
  }

  /// From this column and the next.
  public func paymentData(_ index: Int) throws -> PaymentData? {
    guard try !isNull(index) || !isNull(index + 1) else { return nil }
    return PaymentData(secret: try bytes32(index), totalMsat: try bits(index + 1))
  }

  /// From this column and the next.
  func outPoint(_ index: Int) throws -> OutPoint {
    OutPoint(transaction: TransactionID(hash: try bytes32(index)), index: try unsigned32(index + 1))
  }

  /// The case of this name.
  func named<Value: CaseIterable>(_ index: Int) throws -> Value {
    let name = try text(index)
    guard let value = Value.allCases.first(where: { "\($0)" == name }) else {
      throw mismatch(index, "one of " + Value.allCases.map { "\($0)" }.joined(separator: ", "))
    }
    return value
  }

  func unsigned32(_ index: Int) throws -> UInt32 {
    guard let value = UInt32(exactly: try integer(index)) else { throw mismatch(index, "a 32-bit number") }
    return value
  }
}

extension SQLValue {
  /// The total is stored as a bit pattern: the sender may choose any 64-bit number.
  public static func columns(of data: PaymentData?) -> [SQLValue] {
    guard let data else { return [.null, .null] }
    return [.blob(data.secret.bytes), .bits(data.totalMsat)]
  }
}

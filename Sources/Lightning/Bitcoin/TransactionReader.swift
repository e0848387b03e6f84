import Ground

/// Reads the parts of a Bitcoin transaction in order. Any bytes give a value or an error, never a trap.
struct TransactionReader {
  private let bytes: [UInt8]
  private(set) var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var remaining: Int { bytes.count - position }

  /// The next two bytes, without consuming them.
  var next: (UInt8, UInt8)? { remaining >= 2 ? (bytes[position], bytes[position + 1]) : nil }

  mutating func take(_ count: Int) throws(TransactionError) -> [UInt8] {
    guard count >= 0, count <= remaining else { throw .truncated }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  /// Little-endian.
  mutating func number(_ count: Int) throws(TransactionError) -> UInt64 {
    try take(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func u32() throws(TransactionError) -> UInt32 { UInt32(try number(4)) }

  mutating func compactSize() throws(TransactionError) -> UInt64 {
    let first = try number(1)
    let (value, minimum): (UInt64, UInt64) =
      switch first {
      case 0xfd: (try number(2), 0xfd)
      case 0xfe: (try number(4), 0x1_0000)
      case 0xff: (try number(8), 0x1_0000_0000)
      default: (first, 0)
      }
    guard value >= minimum else { throw .numberNotMinimal }
    return value
  }

  /// A count of elements with a minimum size each: a wrong count costs no memory.
  mutating func count(ofSize size: Int) throws(TransactionError) -> Int {
    let count = try compactSize()
    guard count <= UInt64(remaining / size) else { throw .truncated }
    return Int(count)
  }

  mutating func counted() throws(TransactionError) -> Bytes { Bytes(try take(try count(ofSize: 1))) }

  mutating func transactionID() throws(TransactionError) -> TransactionID {
    guard let hash = Bytes32(try take(Bytes32.size)) else { throw .truncated }
    return TransactionID(hash: hash)
  }
}

/// Why bytes are not a valid Bitcoin transaction.
public struct TransactionError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }

  public static let truncated = Self("the transaction ends in the middle of a field: send it whole")
  public static let numberNotMinimal = Self(
    "a number in the transaction is longer than needed: use its shortest form")
  public static let noInputs = Self("the transaction has no input: add one")
  public static let noOutputs = Self("the transaction has no output: add one")
  public static func unknownFlag(_ flag: UInt8) -> Self {
    Self("the transaction has the flag \(flag), and BIP 144 only defines 1")
  }
  public static let noWitnesses = Self(
    "the transaction has the witness marker and no witnesses: omit the marker")
  public static let tooMuchMoney = Self("an output of the transaction pays more than 21 million bitcoin")
  public static let trailingBytes = Self("there are bytes after the end of the transaction: omit them")
}

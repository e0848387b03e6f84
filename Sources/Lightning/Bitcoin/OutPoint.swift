/// A reference to one output of a Bitcoin transaction.
public struct OutPoint: Hashable, Codable, Sendable {
  public let transaction: TransactionID
  public let index: UInt32

  public init(transaction: TransactionID, index: UInt32) {
    self.transaction = transaction
    self.index = index
  }
}

extension OutPoint: CustomStringConvertible {
  public var description: String { "\(transaction.text):\(index)" }
}

/// Why bytes are not a valid Bitcoin transaction.
public enum TransactionError: Error, Hashable, Sendable, CustomStringConvertible {
  case truncated
  case numberNotMinimal
  case noInputs
  case noOutputs
  case unknownFlag(UInt8)
  case noWitnesses
  case tooMuchMoney
  case trailingBytes

  public var description: String {
    switch self {
    case .truncated: "the transaction ends in the middle of a field: send it whole"
    case .numberNotMinimal:
      "a number in the transaction is longer than needed: use its shortest form"
    case .noInputs: "the transaction has no input: add one"
    case .noOutputs: "the transaction has no output: add one"
    case .unknownFlag(let flag): "the transaction has the flag \(flag), and BIP 144 only defines 1"
    case .noWitnesses:
      "the transaction has the witness marker and no witnesses: omit the marker"
    case .tooMuchMoney: "an output of the transaction pays more than 21 million bitcoin"
    case .trailingBytes: "there are bytes after the end of the transaction: omit them"
    }
  }
}

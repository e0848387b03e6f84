/// Why bytes are no Bitcoin transaction.
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
      "a number in the transaction is written longer than it needs: use its shortest form"
    case .noInputs: "the transaction spends nothing: it needs an input"
    case .noOutputs: "the transaction pays nothing: it needs an output"
    case .unknownFlag(let flag): "the transaction has the flag \(flag), and BIP 144 knows 1 alone"
    case .noWitnesses:
      "the transaction says that it has witnesses, and has none: write it without the marker"
    case .tooMuchMoney: "the transaction pays more bitcoin than there will ever be"
    case .trailingBytes: "bytes follow the end of the transaction: leave them out"
    }
  }
}

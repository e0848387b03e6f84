@testable import Lightning

/// A Bitcoin transaction, which must round-trip, and each of its outputs as an address.
enum TransactionFuzz: FuzzTarget {
  static let name = "bitcoin-transaction"
  static let longestInput = 1024

  static var seeds: [[UInt8]] {
    let spent = OutPoint(transaction: SampleMessages.transaction, index: 1)
    let scripts = [0, 1, 17, 18].compactMap {
      BitcoinAddress(version: $0, program: [UInt8](repeating: 7, count: 20)).map { OutputScript($0) }
    }
    let outputs = scripts.map { TransactionOutput(satoshis: 20_000, script: $0) }
    let plain = BitcoinTransaction(
      inputs: [TransactionInput(outPoint: spent)], outputs: outputs, lockTime: 120)
    var signed = plain
    signed.inputs[0].witness = [[], Bytes(repeating: 1, count: 72), Bytes(repeating: 2, count: 300)]
    var many = signed
    many.inputs += [TransactionInput(outPoint: spent, script: [0x51], sequence: 5)]
    return [plain, signed, many].map { $0.encoded() } + scripts.map(\.bytes.array)
  }

  static func feed(_ bytes: [UInt8]) {
    check(OutputScript(Bytes(bytes)))
    do throws(TransactionError) {
      let transaction = try BitcoinTransaction(decoding: bytes)
      promise(transaction.encoded() == bytes, "a transaction does not round-trip")
      let bare = transaction.encodedWithoutWitnesses()
      promise(
        (try? BitcoinTransaction(decoding: bare))?.id == transaction.id,
        "a transaction has another id with its witnesses")
      promise(
        transaction.weight >= 4 * bare.count && transaction.weight <= 4 * bytes.count,
        "a transaction weighs \(transaction.weight)")
      for output in transaction.outputs { check(output.script) }
    } catch { promiseOneLine(error.description) }
  }

  private static func check(_ script: OutputScript) {
    guard let address = script.address else { return }
    promise(OutputScript(address) == script, "a script is not that of its address")
    promise(script.dustLimit ?? 0 > 0, "an address has no dust limit")
    for network in BitcoinNetwork.allCases {
      let again = try? BitcoinAddress(decoding: address.text(on: network), on: network)
      promise(again == address, "an encoded address is read as another")
    }
  }
}

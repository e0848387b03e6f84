import Ground
import Crypto
import Testing

@testable import Lightning

/// The transactions of BIP 143's examples, which BIP 144 lays out.
@Suite("BIP 143, examples")
struct TransactionVectorTests {
  /// The signed transaction without witnesses and input scripts is the unsigned one.
  private func check(_ signed: String, unsigned: String) throws -> BitcoinTransaction {
    let bytes = try #require(Hexadecimal.decode(signed))
    let transaction = try BitcoinTransaction(decoding: bytes)
    #expect(Hexadecimal.encode(transaction.encoded()) == signed)
    var bare = transaction
    for index in bare.inputs.indices {
      bare.inputs[index].script = []
      bare.inputs[index].witness = []
    }
    #expect(Hexadecimal.encode(bare.encoded()) == unsigned)
    let again = try BitcoinTransaction(decoding: try #require(Hexadecimal.decode(unsigned)))
    #expect(again == bare)
    return transaction
  }

  @Test func `Native P2WPKH`() throws {
    let transaction = try check(TransactionExample.nativeKey, unsigned: TransactionExample.nativeKeyUnsigned)
    #expect(transaction.version == 1 && transaction.lockTime == 17)
    #expect(transaction.inputs.map(\.sequence) == [0xffff_ffee, 0xffff_ffff])
    #expect(transaction.inputs.map(\.witness.count) == [0, 2])
    #expect(transaction.outputs.map(\.satoshis) == [112_340_000, 223_450_000])
    #expect(transaction.outputs[0].script.address?.version == BitcoinAddress.publicKeyHash)
  }

  @Test func `P2SH-P2WPKH`() throws {
    let transaction = try check(TransactionExample.nestedKey, unsigned: TransactionExample.nestedKeyUnsigned)
    #expect(transaction.inputs[0].script.hex == "16001479091972186c449eb1ded22b78e40d009bdf0089")
    #expect(transaction.id.text == "ef48d9d0f595052e0f8cdcf825f7a5e50b6a388a81f206f3f4846e5ecd7a0c23")
  }

  @Test func `Native P2WSH`() throws {
    let transaction = try check(
      TransactionExample.nativeScript, unsigned: TransactionExample.nativeScriptUnsigned)
    #expect(transaction.inputs[1].witness.map(\.count) == [71, 71, 71])
  }
}

@testable import Lightning

@Suite("A Bitcoin transaction") struct TransactionTests {
  private func failure(_ bytes: [UInt8]) -> TransactionError? {
    do throws(TransactionError) {
      _ = try BitcoinTransaction(decoding: bytes)
      return nil
    } catch { return error }
  }

  private static func random(_ random: inout SeededGenerator) -> BitcoinTransaction {
    func bytes(_ most: Int) -> Bytes { Bytes((0..<random.below(most)).map { _ in UInt8(random.below(256)) }) }
    let hasWitnesses = random.oneIn(2)
    let inputs = (0..<1 + random.below(random.oneIn(20) ? 300 : 3)).map { _ in
      TransactionInput(
        outPoint: OutPoint(
          transaction: TransactionID(hash: SHA256.hash(bytes(5).array)), index: UInt32(random.below(9))),
        script: bytes(random.oneIn(10) ? 300 : 3), sequence: UInt32(truncatingIfNeeded: random.next()),
        witness: hasWitnesses ? (0..<random.below(4)).map { _ in bytes(random.oneIn(10) ? 300 : 90) } : [])
    }
    let outputs = (0..<1 + random.below(3)).map { _ in
      TransactionOutput(
        satoshis: random.next() % TransactionOutput.mostSatoshis, script: OutputScript(bytes(50)))
    }
    return BitcoinTransaction(
      version: UInt32(truncatingIfNeeded: random.next()), inputs: inputs, outputs: outputs,
      lockTime: UInt32(truncatingIfNeeded: random.next()))
  }

  @Test func `A transaction is read back as written, and its id ignores witnesses`() throws {
    var random = SeededGenerator(seed: 31)
    for _ in 0..<500 {
      let transaction = Self.random(&random)
      let bytes = transaction.encoded()
      let again = try BitcoinTransaction(decoding: bytes)
      expect(again, is: transaction)
      expect(again.encoded(), is: bytes)
      var bare = transaction
      for index in bare.inputs.indices { bare.inputs[index].witness = [] }
      expect(bare.id, is: transaction.id)
      expect(bare.weight, is: 4 * bare.encoded().count)
    }
  }

  @Test func `A truncated or extended transaction is refused`() throws {
    var random = SeededGenerator(seed: 32)
    for _ in 0..<40 {
      let bytes = Self.random(&random).encoded()
      for count in 0..<min(bytes.count, 900) { expect(failure(Array(bytes.prefix(count))), is: .truncated) }
      expect(failure(bytes + [0]), is: .trailingBytes)
    }
  }

  @Test func `A transaction outside BIP 144's form, or with an invalid amount, is refused`() throws {
    let input = [UInt8](repeating: 7, count: 36) + [0, 1, 2, 3, 4]
    let output: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0, 0]
    let version: [UInt8] = [2, 0, 0, 0]
    let end: [UInt8] = [0, 0, 0, 0]
    #expect(failure(version + [1] + input + [1] + output + end) == nil)
    #expect(failure(version + [0, 1, 1] + input + [1] + output + [1, 1, 9] + end) == nil)
    expect(failure(version + [0, 1, 1] + input + [1] + output + [0] + end), is: .noWitnesses)
    expect(failure(version + [0, 2, 1] + input + [1] + output + [1, 1, 9] + end), is: .unknownFlag(2))
    expect(failure(version + [0, 0] + end), is: .noInputs)
    expect(failure(version + [0, 1, 0, 1] + output + end), is: .noInputs)
    expect(failure(version + [1] + input + [0] + end), is: .noOutputs)
    expect(failure(version + [0xfd, 1, 0] + input + [1] + output + end), is: .numberNotMinimal)
    expect(failure(version + [0xfe, 1, 0, 0, 0] + input + [1] + output + end), is: .numberNotMinimal)
    expect(failure(version + [0xff] + [UInt8](repeating: 0xff, count: 8) + input), is: .truncated)
    let most: [UInt8] = [0x00, 0x40, 0x07, 0x5a, 0xf0, 0x75, 0x07, 0, 0]
    #expect(failure(version + [1] + input + [1] + most + end) == nil)
    expect(failure(version + [1] + input + [1] + [1] + most.dropFirst() + end), is: .tooMuchMoney)
    #expect(failure(version + [1] + input + [2] + most + most + end) == nil, "each output is checked alone")
  }

  @Test func `A transaction id is printed as its hash with the bytes reversed`() throws {
    let id = TransactionID(hash: SHA256.hash([1]))
    expect(TransactionID(text: id.text), is: id)
    #expect(id.text != id.hash.hex && id.text.prefix(2) == id.hash.hex.suffix(2))
    #expect(TransactionID(text: "00") == nil)
  }
}

/// The transactions of BIP 143's examples, which BIP 144 lays out.
@Suite("BIP 143, examples") struct TransactionVectorTests {
  /// The signed transaction without witnesses and input scripts is the unsigned one.
  private func check(_ signed: String, unsigned: String) throws -> BitcoinTransaction {
    let bytes = try #require(Hexadecimal.decode(signed))
    let transaction = try BitcoinTransaction(decoding: bytes)
    expect(Hexadecimal.encode(transaction.encoded()), is: signed)
    var bare = transaction
    for index in bare.inputs.indices {
      bare.inputs[index].script = []
      bare.inputs[index].witness = []
    }
    expect(Hexadecimal.encode(bare.encoded()), is: unsigned)
    let again = try BitcoinTransaction(decoding: try #require(Hexadecimal.decode(unsigned)))
    expect(again, is: bare)
    return transaction
  }

  @Test func `Native P2WPKH`() throws {
    let transaction = try check(TransactionExample.nativeKey, unsigned: TransactionExample.nativeKeyUnsigned)
    #expect(transaction.version == 1 && transaction.lockTime == 17)
    expect(transaction.inputs.map(\.sequence), is: [0xffff_ffee, 0xffff_ffff])
    expect(transaction.inputs.map(\.witness.count), is: [0, 2])
    expect(transaction.outputs.map(\.satoshis), is: [112_340_000, 223_450_000])
    expect(transaction.outputs[0].script.address?.version, is: BitcoinAddress.publicKeyHash)
  }

  @Test func `P2SH-P2WPKH`() throws {
    let transaction = try check(TransactionExample.nestedKey, unsigned: TransactionExample.nestedKeyUnsigned)
    expect(transaction.inputs[0].script.hex, is: "16001479091972186c449eb1ded22b78e40d009bdf0089")
    expect(transaction.id.text, is: "ef48d9d0f595052e0f8cdcf825f7a5e50b6a388a81f206f3f4846e5ecd7a0c23")
  }

  @Test func `Native P2WSH`() throws {
    let transaction = try check(
      TransactionExample.nativeScript, unsigned: TransactionExample.nativeScriptUnsigned)
    expect(transaction.inputs[1].witness.map(\.count), is: [71, 71, 71])
  }
}

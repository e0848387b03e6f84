@testable import Lightning

@Suite("BOLT 3, collaborative transactions") struct CollaborativeVectorTests {
  private let channel = SHA256.hash([1])

  private func bytes(_ hex: String) throws -> [UInt8] { try #require(Hexadecimal.decode(hex)) }
  private func point(_ hex: String) throws -> CurvePoint { try #require(CurvePoint(try bytes(hex))) }
  private func dual() throws -> BitcoinTransaction {
    try BitcoinTransaction(decoding: bytes(TransactionExample.dualSigned))
  }

  @Test func `Appendix B: Funding Transaction Test Vectors`() throws {
    let local = try point("023da092f6980e58d2c037173180e9a465476026ee50f96695963e8efe436f54eb")
    let remote = try point("030e9f7b623d2ccc7c9bd44d66d5ce21ce504c0acf6385a132cec6d3c39fa711c1")
    let script =
      "5221023da092f6980e58d2c037173180e9a465476026ee50f96695963e8efe436f54eb21030e9f7b623d2ccc7c9bd44d66d5ce21ce504c0acf6385a132cec6d3c39fa711c152ae"
    expect(FundingScript.witnessScript(local, remote).hex, is: script)
    expect(FundingScript.witnessScript(remote, local).hex, is: script)
    let transaction = try BitcoinTransaction(decoding: bytes(TransactionExample.funding))
    expect(Hexadecimal.encode(transaction.encoded()), is: TransactionExample.funding)
    expect(transaction.id.text, is: "8984484a580b825b9972d7adb15050b3ab624ccd731946b3eeddb92f4e7ef6be")
    expect(transaction.outputs.map(\.satoshis), is: [10_000_000, 4_989_986_080])
    expect(transaction.outputs[0].script, is: FundingScript.output(local, remote))
    expect(
      transaction.inputs[0].outPoint.description,
      is: "fd2105607605d2302994ffea703b09f66b6351816ee737a93e42a841ea20bbad:0")
  }

  @Test func `Appendix G: Expected Opener's and Accepter's tx_add_input`() throws {
    let parent = try BitcoinTransaction(decoding: bytes(TransactionExample.parent))
    expect(parent.id.text, is: "4303ca8ff10c6c345b9299672a66f111c5b81ae027cc5b0d4d39d09c66b032b9")
    for (serial, index) in [(20, 0), (11, 2)] as [(UInt64, UInt32)] {
      let message = AddInput(
        channel: channel, serial: serial, previous: Bytes(parent.encoded()), outputIndex: index)
      expect(message.previous.count, is: 353)
      let expected =
        "0042" + channel.hex + String(repeating: "0", count: 14) + (serial == 20 ? "14" : "0b") + "0161"
        + TransactionExample.parent + "0000000\(index)" + "fffffffd"
      expect(Hexadecimal.encode(Message.addInput(message).encoded()), is: expected)
    }
    expect(
      parent.outputs[2].script.address,
      is: try BitcoinAddress(decoding: "bcrt1qlw6dh8v9lwj7xq058x0rqwyj3ezwxlfjxsy7er", on: .regtest))
  }

  @Test func `Appendix G: Outputs, Expected tx_add_output`() throws {
    let key1 = try point("0292edb5f7bbf9e900f7e024be1c1339c6d149c11930e613af3a983d2565f4e41e")
    let key2 = try point("02e16172a41e928cbd78f761bd1c657c4afc7495a1244f7f30166b654fbf7661e3")
    let funding = FundingScript.output(key2, key1)
    expect(funding.bytes.hex, is: "0020297b92c238163e820b82486084634b4846b86a3c658d87b9384192e6bea98ec5")
    expect(
      funding.address?.text(on: .regtest),
      is: "bcrt1q99ae9s3czclgyzuzfpsggc6tfprts63uvkxc0wfcgxfwd04f3mzs3asq6l")
    let change = try OutputScript(
      BitcoinAddress(decoding: "bcrt1qrjsue2y9twkkhs022smwmkx07y9hu3ytshgjmj", on: .regtest))
    let message = AddOutput(channel: channel, serial: 30, satoshis: 49_999_845, script: change.bytes)
    expect(
      Hexadecimal.encode(Message.addOutput(message).encoded()),
      is: "0043" + channel.hex + "000000000000001e"
        + "0000000002faefe5" + "00" + "1600141ca1cca8855bad6bc1ea5436edd8cff10b7e448b")
    // In order of their serials: 30 and 33 for the change, 44 for the funding.
    let scripts = [change, try dual().outputs[1].script, funding]
    expect(try dual().outputs.map(\.script), is: scripts)
    expect(try dual().outputs.map(\.satoshis), is: [49_999_845, 49_999_900, 400_000_000])
  }

  @Test func `Appendix G: Expected Fee Calculation`() throws {
    let change = try dual().outputs[0].script
    let funding = try dual().outputs[2].script
    let input = (32 + 4 + 1 + 4) * 4
    let opener =
      TransactionWeight.common + input + TransactionWeight.output(funding)
      + TransactionWeight.output(change) + 107
    expect(opener, is: 609)
    expect(TransactionWeight.fee(opener, perKw: 253), is: 155)
    let accepter = input + TransactionWeight.output(change) + 107
    expect(accepter, is: 395)
    expect(TransactionWeight.fee(accepter, perKw: 253), is: 100)
  }

  @Test func `Appendix G: Unsigned and Signed Funding Transaction`() throws {
    let signed = try dual()
    expect(Hexadecimal.encode(signed.encoded()), is: TransactionExample.dualSigned)
    expect(Hexadecimal.encode(signed.encodedWithoutWitnesses()), is: TransactionExample.dualUnsigned)
    expect(signed.id.text, is: "5ca4e657c1aa9d069ea4a5d712045d233a7d7c52738cb02993637289e6386057")
    expect(signed.lockTime, is: 120)
    expect(signed.inputs.map(\.sequence), is: [TransactionInput.replaceable, TransactionInput.replaceable])
    let unsigned = try BitcoinTransaction(decoding: bytes(TransactionExample.dualUnsigned))
    expect(unsigned.id, is: signed.id)
    expect(signed.weight, is: 4 * unsigned.encoded().count + 2 + 107 + 74)
  }

  @Test func `Appendix G: Expected Opener's and Accepter's tx_signatures`() throws {
    let witness =
      "022068656c6c6f2074686572652c2074686973206973206120626974636f6e2121212782012088a820add57dfe5277079d069ca4ad4893c96de91f88ffb981fdc6a2a34d5336c66aff87"
    let message = TransactionSignatures(
      channel: channel, transaction: try dual().id, witnesses: [Bytes(try bytes(witness))])
    let id = try dual().id.hash.hex
    expect(
      Hexadecimal.encode(Message.transactionSignatures(message).encoded()),
      is: "0047" + channel.hex + id + "0001" + "004a" + witness)
    let elements = try dual().inputs[1].witness
    expect(elements.map(\.count), is: [32, 39])
    expect("02" + elements.map { ($0.count == 32 ? "20" : "27") + $0.hex }.joined(), is: witness)
  }

  /// Appendix A counts the same funding input for a commitment: 222 bytes of witness, two of them before it.
  @Test func `Appendix A: the weight of a splice follows from its funding input`() throws {
    expect(TransactionWeight.sharedInput, is: 41 * 4 + 222)
    let funding = try dual().outputs[2].script
    let key = try dual().outputs[0].script
    expect(TransactionWeight.splice(paying: [funding, key]), is: 724)
    expect(TransactionWeight.fee(724, perKw: 1000), is: 724)
    // No signature is longer than 73 bytes: no such transaction weighs more.
    let longest: [Bytes] = [
      [], Bytes(repeating: 1, count: 73), Bytes(repeating: 1, count: 73), Bytes(repeating: 1, count: 71),
    ]
    let outPoint = OutPoint(transaction: try dual().id, index: 2)
    let transaction = BitcoinTransaction(
      inputs: [TransactionInput(outPoint: outPoint, witness: longest)],
      outputs: [funding, key].map { TransactionOutput(satoshis: 5, script: $0) })
    expect(transaction.weight, is: 724)
  }
}

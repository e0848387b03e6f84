import Ground
import Crypto
import Testing

@testable import Lightning

@Suite("The messages of a splice")
struct SpliceMessageTests {
  private let channel = SpliceMessages.channel
  private let transaction = SpliceMessages.transaction
  private let key = SpliceMessages.key

  private func hex(_ message: Message) -> String { Hexadecimal.encode(message.encoded()) }

  @Test func `Splice messages are laid out as in BOLT 2, byte for byte`() {
    let id = channel.hex
    let hash = transaction.hash.hex
    #expect(hex(.quiescence(Quiescence(channel: channel, isInitiator: true))) == "0002" + id + "01")
    #expect(
      hex(
        .spliceInit(
          SpliceInit(
            channel: channel, contribution: -2, feeratePerKw: 253, lockTime: 9, fundingKey: key,
            needsConfirmedInputs: true)))
        == "0050" + id + "fffffffffffffffe" + "000000fd" + "00000009" + key.bytes.hex + "0200")
    #expect(
      hex(.spliceAck(SpliceAck(channel: channel, fundingKey: key)))
        == "0051" + id + "0000000000000000" + key.bytes.hex)
    #expect(
      hex(.addInput(AddInput(channel: channel, serial: 4, outputIndex: 1, sharedInput: transaction)))
        == "0042" + id + "0000000000000004" + "0000" + "00000001" + "fffffffd" + "0020" + hash)
    #expect(
      hex(.addOutput(AddOutput(channel: channel, serial: 2, satoshis: 7, script: [0xaa, 0xbb])))
        == "0043" + id + "0000000000000002" + "0000000000000007" + "0002aabb")
    #expect(hex(.transactionComplete(TransactionComplete(channel: channel))) == "0046" + id)
    #expect(
      hex(
        .transactionSignatures(
          TransactionSignatures(
            channel: channel, transaction: transaction, witnesses: [[5]], sharedInputSignature: .zeros)))
        == "0047" + id + hash + "0001" + "000105" + "0040" + String(repeating: "00", count: 64))
    #expect(
      hex(.transactionAbort(TransactionAbort(channel: channel, text: "no"))) == "004a" + id + "00026e6f")
    #expect(
      hex(.spliceLocked(SpliceLocked(channel: channel, transaction: transaction))) == "004d" + id + hash)
  }

  @Test
  func `commitment_signed and channel_reestablish carry splice records as BOLT 2 numbers them`() {
    let hash = transaction.hash.hex
    let plain = hex(.commitmentSigned(CommitmentSigned(channel: channel)))
    #expect(
      hex(.commitmentSigned(CommitmentSigned(channel: channel, funding: transaction))) == plain + "0120"
        + hash)
    let before = hex(.channelReestablish(SpliceMessages.reestablish(nil, nil)))
    let after = hex(
      .channelReestablish(
        SpliceMessages.reestablish(
          NextFunding(transaction: transaction, needsCommitment: true),
          FundingLocked(transaction: transaction))))
    #expect(after == before + "0121" + hash + "01" + "0521" + hash + "00")
    #expect(!NextFunding(transaction: transaction, needsCommitment: false).needsCommitment)
  }

  @Test func `Each splice message gives its type and channel, and only tx_abort counts as ignorable`() {
    let types = SpliceMessages.all.map(\.type)
    #expect(types == [2, 2, 80, 80, 81, 81, 66, 66, 67, 70, 71, 71, 74, 77, 132, 136, 136])
    #expect(SpliceMessages.all.allSatisfy { $0.channel == channel && $0.isChatter == ($0.type == 74) })
  }

  @Test func `Splice messages are read back as written, and re-encoded unchanged`() throws {
    var random = SeededGenerator(seed: 21)
    for message in SpliceMessages.all + (0..<2000).map({ _ in SpliceMessages.random(&random) }) {
      let bytes = message.encoded()
      let again = try Message(decoding: bytes)
      #expect(again == message)
      #expect(again.encoded() == bytes)
    }
  }

  @Test func `A truncated splice message is refused, except at a record boundary`() throws {
    for message in SpliceMessages.all {
      let bytes = message.encoded()
      // A message may end where its optional records begin.
      let ends = try recordPlaces(in: message)
      for count in 0..<bytes.count {
        let shorter = try? Message(decoding: Array(bytes.prefix(count)))
        #expect((shorter != nil) == ends.contains(count), "type \(message.type), \(count) bytes")
        #expect(shorter != message)
      }
    }
  }

  /// The lengths of the message without its last records.
  private func recordPlaces(in message: Message) throws -> [Int] {
    let count = message.encoded().count
    switch message {
    case .spliceInit(let body) where body.needsConfirmedInputs: return [count - 2]
    case .spliceAck(let body) where body.needsConfirmedInputs: return [count - 2]
    case .addInput(let body) where body.sharedInput != nil: return [count - 34]
    case .transactionSignatures(let body) where body.sharedInputSignature != nil: return [count - 66]
    case .commitmentSigned: return [count - 34]
    case .channelReestablish(let body):
      return body.nextFunding == nil ? [count - 35] : [count - 35, count - 70]
    default: return []
    }
  }

  @Test func `A splice message with a value or record outside BOLT 2 is refused`() throws {
    func decode(_ message: Message, _ more: [UInt8]) throws {
      _ = try Message(decoding: message.encoded() + more)
    }
    #expect(throws: WireError.impossibleValue) { try Message(decoding: [0, 2] + channel.bytes + [2]) }
    let input = Message.addInput(AddInput(channel: channel, serial: 4, outputIndex: 1))
    #expect(throws: WireError.malformedRecord(0)) { try decode(input, [0, 31] + channel.bytes.dropLast()) }
    #expect(throws: WireError.malformedRecord(0)) { try decode(input, [0, 33] + channel.bytes + [0]) }
    #expect(throws: WireError.unknownEvenRecord(2)) { try decode(input, [2, 0]) }
    let start = Message.spliceInit(
      SpliceInit(channel: channel, contribution: 0, feeratePerKw: 1, fundingKey: key))
    #expect(throws: WireError.malformedRecord(2)) { try decode(start, [2, 1, 0]) }
    #expect(throws: WireError.unknownEvenRecord(0)) { try decode(start, [0, 0]) }
    let signed = Message.transactionSignatures(
      TransactionSignatures(channel: channel, transaction: transaction))
    #expect(throws: WireError.malformedRecord(0)) { try decode(signed, [0, 1, 0]) }
    let commitment = Message.commitmentSigned(CommitmentSigned(channel: channel))
    #expect(throws: WireError.malformedRecord(1)) { try decode(commitment, [1, 1, 0]) }
    let reestablish = Message.channelReestablish(SpliceMessages.reestablish(nil, nil))
    #expect(throws: WireError.malformedRecord(1)) { try decode(reestablish, [1, 0]) }
    #expect(throws: WireError.malformedRecord(1)) { try decode(reestablish, [1, 32] + channel.bytes) }
    #expect(throws: WireError.malformedRecord(5)) {
      try decode(reestablish, [5, 34] + channel.bytes + [0, 0])
    }
    #expect(throws: WireError.truncated) {
      try Message(decoding: [0, 71] + channel.bytes + transaction.hash.bytes + [0xff, 0xff])
    }
  }

  @Test
  func
    `Random bytes never crash the decoder of splice messages, and what it decodes is re-encoded unchanged`()
  {
    var random = SeededGenerator(seed: 22)
    for _ in 0..<20_000 {
      let type = [2, 66, 67, 70, 71, 74, 77, 80, 81, 132, 136][random.below(11)]
      let body = (0..<random.below(250)).map { _ in random.oneIn(3) ? UInt8(random.below(256)) : 0 }
      guard let message = try? Message(decoding: [0, UInt8(type)] + body) else { continue }
      #expect(message.encoded() == [0, UInt8(type)] + body)
    }
  }

  @Test func `The text of a tx_abort is safe for a terminal`() {
    #expect(TransactionAbort(channel: channel, data: Bytes(Array("a\u{1b}[1m".utf8))).text == "a.[1m")
  }

  @Test func `Features offer splices only with both quiescence and splicing`() {
    #expect(
      Features.ofWallet(splices: true).offersSplices && !Features.ofWallet(splices: false).offersSplices)
    #expect(Features([34, 62]).offersSplices)
    #expect(!Features([35]).offersSplices && !Features([63]).offersSplices)
  }
}

@testable import Lightning

@Suite("The messages of a splice") struct SpliceMessageTests {
  private let channel = SpliceMessages.channel
  private let transaction = SpliceMessages.transaction
  private let key = SpliceMessages.key

  private func hex(_ message: Message) -> String { Hexadecimal.encode(message.encoded()) }

  @Test func `commitment_signed and channel_reestablish carry splice records as BOLT 2 numbers them`() {
    let hash = transaction.hash.hex
    let plain = hex(.commitmentSigned(CommitmentSigned(channel: channel)))
    expect(
      hex(.commitmentSigned(CommitmentSigned(channel: channel, funding: transaction))),
      is: plain + "0120"
        + hash)
    let before = hex(.channelReestablish(SpliceMessages.reestablish(nil, nil)))
    let after = hex(
      .channelReestablish(
        SpliceMessages.reestablish(
          NextFunding(transaction: transaction, needsCommitment: true),
          FundingLocked(transaction: transaction))))
    expect(after, is: before + "0121" + hash + "01" + "0521" + hash + "00")
    #expect(!NextFunding(transaction: transaction, needsCommitment: false).needsCommitment)
  }

  @Test func `Each splice message gives its type and channel, and only tx_abort counts as ignorable`() {
    let types = SpliceMessages.all.map(\.type)
    expect(types, is: [2, 2, 80, 80, 81, 81, 66, 66, 67, 70, 71, 71, 74, 77, 132, 136, 136])
    #expect(SpliceMessages.all.allSatisfy { $0.channel == channel && $0.isChatter == ($0.type == 74) })
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

  @Test func `Features offer splices only with both quiescence and splicing`() {
    #expect(
      Features.ofWallet(splices: true).offersSplices && !Features.ofWallet(splices: false).offersSplices)
    #expect(Features([34, 62]).offersSplices)
    #expect(!Features([35]).offersSplices && !Features([63]).offersSplices)
  }
}

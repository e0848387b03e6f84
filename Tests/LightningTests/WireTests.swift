@testable import Lightning

private let id = Bytes32(Array(repeating: 7, count: 32)) ?? .zero
private let hash = Bytes32(Array(repeating: 9, count: 32)) ?? .zero

private let everyMessage: [Message] = [
  .initMessage(InitMessage()), .initMessage(InitMessage(networks: [])),
  .initMessage(InitMessage(networks: nil)),
  .fenceAnswer(FenceAnswer(accepted: false, highest: .max, container: ContainerID(high: 1, low: 2))),
  .unknown(type: 256, bytes: [1]), .unknown(type: 262, bytes: []),
  .initMessage(
    InitMessage(fence: Claim(epoch: 5, incarnation: .max, container: ContainerID(high: 1, low: 2)))),
  .initMessage(
    InitMessage(
      fence: Claim(epoch: 5, incarnation: .max, container: ContainerID(high: 1, low: 2)),
      replaces: ReplacedClaim(epoch: .max, container: ContainerID(high: 3, low: 4)))),
  .fenceAnswer(FenceAnswer(accepted: true, highest: 5, container: ContainerID(high: 1, low: 2))),
  .error(ErrorOrWarning(channel: id, text: "no")),
  .warning(ErrorOrWarning(text: "careful")),
  .warning(ErrorOrWarning(channel: id, text: "late", code: .quiescenceTimeout)),
  .ping(Ping(pongSize: 3, ignored: [0, 0])),
  .pong([0, 0, 0]),
  .peerStorage([1, 2, 3]),
  .peerStorageRetrieval(Blob([UInt8](repeating: 1, count: Message.maximumStorageSize))),
  .channelReestablish(
    ChannelReestablish(
      channel: id, nextCommitmentNumber: 1, nextRevocationNumber: 0, yourLastPerCommitmentSecret: .zero)),
  .addHTLC(AddHTLC(channel: id, id: 0, amountMsat: 1000, paymentHash: hash, cltvExpiry: 700)),
  .addHTLC(
    AddHTLC(
      channel: id, id: 1, amountMsat: 1000, paymentHash: hash, cltvExpiry: 700,
      paymentData: PaymentData(secret: id, totalMsat: 2500))),
  .fulfillHTLC(FulfillHTLC(channel: id, id: 0, preimage: hash)),
  .failHTLC(FailHTLC(channel: id, id: 0, code: 0x1007)),
  .failMalformedHTLC(FailMalformedHTLC(channel: id, id: 3, onionHash: hash, code: 0xC005)),
  .pushKey(CurvePoint(unchecked: Bytes([2] + hash.bytes))), .holdEnded(hash),
  .updateFee(UpdateFee(channel: id, feeratePerKw: 253)),
  .commitmentSigned(CommitmentSigned(channel: id, htlcSignatures: [.zeros, .zeros])),
  .revokeAndAck(RevokeAndAck(channel: id, perCommitmentSecret: hash)),
  .unknown(type: 32769, bytes: [1, 2]),
]

@Suite struct WireTests {
  @Test func `An encoded message decodes to the same message, and is encoded again to the same bytes`() throws
  {
    for message in everyMessage + SpliceMessages.all {
      let bytes = message.encoded()
      let again = try Message(decoding: bytes)
      #expect(again == message && again.encoded() == bytes, "type \(message.type)")
    }
  }

  @Test func `A truncated message is refused or decodes to another message`() {
    for message in everyMessage {
      let bytes = message.encoded()
      for count in 0..<min(bytes.count, 200) {
        guard let shorter = try? Message(decoding: Array(bytes.prefix(count))) else { continue }
        let isSame = shorter == message
        #expect(!isSame, "type \(message.type)")
      }
    }
  }

  @Test func `A journal has a backup's length and hash alone, and is written again unchanged`() throws {
    let sealed = [UInt8](repeating: 7, count: 20_000)
    let text = try JSONLineEncoder().encode(Message.peerStorage(Blob(sealed)))
    expect(text, is: #"{"peerStorage":{"_0":{"count":20000,"sha256":"\#(SHA256.hash(sealed).hex)"}}}"#)
    let read = try JSONLineDecoder().decode(Message.self, from: Array(text.utf8))
    expect(try JSONLineEncoder().encode(read), is: text)
  }

  @Test func `A journal has an onion packet without the zeros at its end`() throws {
    var bytes = [UInt8](repeating: 0, count: OnionPacket.size)
    for hex in ["", "01", "0101"] {
      for place in 0..<(hex.count / 2) { bytes[place] = 1 }
      let packet = try #require(OnionPacket(bytes))
      expect(try JSONLineEncoder().encode(packet), is: "\"\(hex)\"")
      expect(try JSONLineDecoder().decode(OnionPacket.self, from: Array("\"\(hex)\"".utf8)), is: packet)
    }
    let long = Array("\"\(String(repeating: "01", count: OnionPacket.size + 1))\"".utf8)
    #expect(throws: DecodingError.self) { try JSONLineDecoder().decode(OnionPacket.self, from: long) }
  }

  private static let claim = Claim(epoch: 1, incarnation: 2, container: ContainerID(high: 3, low: 4))
  private static let numbers = (1...4).map { "000000000000000\($0)" }.joined()
  private static let channel = SpliceMessages.channel
  private static let transaction = SpliceMessages.transaction
  private static let key = SpliceMessages.key

  private static func zeros(_ count: Int) -> String { String(repeating: "00", count: count) }

  /// Messages and their bytes, without the id of their channel behind the type.
  private static let layouts: [(Message, String)] = [
    (.ping(Ping(pongSize: 3, ignored: [9])), "00120003000109"), (.pong([0, 0]), "001300020000"),
    (.peerStorage([0xaa]), "00070001aa"), (.peerStorageRetrieval([0xaa]), "00090001aa"),
    // 2 features of 8 bytes: bits 63, 43, 35, 13, 7, 1. Then the one chain.
    (
      .initMessage(InitMessage(features: .ofProvider(splices: true))),
      "0010000000088000080800002082012006226e46111a0b59caaf126043eb5bbf28c34f3a5e332a1fc7b2b73cf188910f"
    ),
    (
      .initMessage(InitMessage(features: .ofProvider(splices: false), networks: nil)),
      "001000000006080000002082"
    ),
    // A wallet keeps no backups of other nodes: without bit 43.
    (
      .initMessage(InitMessage(features: .ofWallet(splices: true), networks: nil)),
      "0010000000088000000800002082"
    ),
    // The fence is one private odd record at the end.
    (
      .initMessage(InitMessage(features: Features(), fence: claim, networks: nil)),
      "001000000000feba70000120\(numbers)"
    ),
    (
      .fenceAnswer(FenceAnswer(accepted: true, highest: 5, container: ContainerID(high: 1, low: 2))),
      "ba7101000000000000000500000000000000010000000000000002"
    ),
    (.pushKey(CurvePoint(unchecked: Bytes([2] + hash.bytes))), "ba7302\(hash.hex)"),
    (.holdEnded(hash), "ba75\(hash.hex)"),
    (.failHTLC(FailHTLC(channel: id, id: 1, code: 0x1007)), "0083000000000000000100021007"),
    (
      .failMalformedHTLC(FailMalformedHTLC(channel: id, id: 1, onionHash: hash, code: 0xC005)),
      "00870000000000000001\(hash.hex)c005"
    ),
    (.updateFee(UpdateFee(channel: id, feeratePerKw: 253)), "0086000000fd"),
    (.quiescence(Quiescence(channel: channel, isInitiator: true)), "000201"),
    (
      .spliceInit(
        SpliceInit(
          channel: channel, contribution: -2, feeratePerKw: 253, lockTime: 9, fundingKey: key,
          needsConfirmedInputs: true)),
      "0050fffffffffffffffe000000fd00000009\(key.bytes.hex)0200"
    ),
    (.spliceAck(SpliceAck(channel: channel, fundingKey: key)), "00510000000000000000\(key.bytes.hex)"),
    (
      .addInput(AddInput(channel: channel, serial: 4, outputIndex: 1, sharedInput: transaction)),
      "00420000000000000004000000000001fffffffd0020\(transaction.hash.hex)"
    ),
    (
      .addOutput(AddOutput(channel: channel, serial: 2, satoshis: 7, script: [0xaa, 0xbb])),
      "0043000000000000000200000000000000070002aabb"
    ),
    (.transactionComplete(TransactionComplete(channel: channel)), "0046"),
    (
      .transactionSignatures(
        TransactionSignatures(
          channel: channel, transaction: transaction, witnesses: [[5]], sharedInputSignature: .zeros)),
      "0047\(transaction.hash.hex)00010001050040\(zeros(64))"
    ),
    (.transactionAbort(TransactionAbort(channel: channel, text: "no")), "004a00026e6f"),
    (.spliceLocked(SpliceLocked(channel: channel, transaction: transaction)), "004d\(transaction.hash.hex)"),
    (
      .channelReestablish(
        ChannelReestablish(
          channel: id, nextCommitmentNumber: 5, nextRevocationNumber: 4, yourLastPerCommitmentSecret: hash)),
      "008800000000000000050000000000000004\(hash.hex)\(zeros(33))"
    ),
  ]

  @Test(arguments: layouts)
  func `Messages are laid out as in BOLT 1 and 2, and the private ones as documented`(
    message: Message, bytes: String
  ) {
    let channel = message.channel?.hex ?? ""
    expect(Hexadecimal.encode(message.encoded()), is: "\(bytes.prefix(4))\(channel)\(bytes.dropFirst(4))")
  }

  @Test(
    arguments: [
      (
        .addHTLC(AddHTLC(channel: id, id: 0, amountMsat: 1, paymentHash: hash, cltvExpiry: 1)),
        2 + 32 + 8 + 8 + 32 + 4 + 1366
      ),
      (.commitmentSigned(CommitmentSigned(channel: id, htlcSignatures: [.zeros])), 2 + 32 + 64 + 2 + 64),
      (.revokeAndAck(RevokeAndAck(channel: id, perCommitmentSecret: hash)), 2 + 32 + 32 + 33),
    ] as [(Message, Int)])
  func `Messages of long fields have the length of BOLT 2`(message: Message, length: Int) {
    expect(message.encoded().count, is: length)
  }

  @Test func `A message of an unknown odd type is kept, and one of an unknown even type is refused`() throws {
    expect(try Message(decoding: [0x80, 0x01, 5]), is: .unknown(type: 32769, bytes: [5]))
    // Another implementation may use the type of our fence answer.
    expect(try Message(decoding: [0xba, 0x71, 5]), is: .unknown(type: 0xba71, bytes: [5]))
    #expect(throws: WireError.unknownEvenMessage(32768)) { try Message(decoding: [0x80, 0x00, 5]) }
  }

  @Test func `TLV records must increase, be complete, be known if even, and be minimally encoded`() throws {
    let initMessage: [UInt8] = [0, 16, 0, 0, 0, 0]
    #expect(throws: WireError.recordsNotIncreasing) { try Message(decoding: initMessage + [5, 0, 3, 0]) }
    #expect(throws: WireError.recordsNotIncreasing) { try Message(decoding: initMessage + [5, 0, 5, 0]) }
    #expect(throws: WireError.unknownEvenRecord(4)) { try Message(decoding: initMessage + [4, 0]) }
    #expect(throws: WireError.truncated) { try Message(decoding: initMessage + [5, 2, 1]) }
    #expect(throws: WireError.truncated) {
      try Message(decoding: initMessage + [5, 0xff, 255, 255, 255, 255, 255, 255, 255, 255])
    }
    #expect(throws: WireError.numberNotMinimal) { try Message(decoding: initMessage + [0xfd, 0, 5, 0]) }
    #expect(throws: WireError.malformedRecord(Claim.recordType)) {
      try Message(decoding: initMessage + [0xfe, 0xba, 0x70, 0, 1, 1, 0])
    }
    let kept = try Message(decoding: initMessage + [5, 1, 9])
    guard case .initMessage(let body) = kept else { return #expect(Bool(false)) }
    expect(body.others[5], is: [9])
  }

  @Test func `A message above 65,535 bytes is refused`() {
    #expect(throws: WireError.tooLong) {
      try Message(decoding: [0x80, 0x01] + [UInt8](repeating: 0, count: 65534))
    }
  }

  @Test func `A signature count above the message's length is refused`() {
    let body = [0, 132] + id.bytes + [UInt8](repeating: 0, count: 64) + [0xff, 0xff]
    #expect(throws: WireError.truncated) { try Message(decoding: body) }
  }

  @Test func `A ping that requests 65532 bytes or more gets no pong`() {
    expect(Ping(pongSize: 65531).answer, is: .pong(Bytes(repeating: 0, count: 65531)))
    #expect(Ping(pongSize: 65532).answer == nil)
  }

  @Test func `The text of an error or tx_abort has only printable ASCII, safe for a terminal`() {
    let data = Bytes([0x1b] + Array("[1m".utf8) + [0x1f, 0x20, 0x41, 0x7e, 0x7f, 0x80, 0x0a])
    expect(ErrorOrWarning(data: data).text, is: ".[1m. A~...")
    expect(TransactionAbort(channel: id, data: data).text, is: ".[1m. A~...")
  }

  @Test(arguments: [[], [2], [1, 1]] as [[UInt8]])
  func `A warning with an unknown code is read as a warning without a code`(code: [UInt8]) throws {
    let plain = Message.warning(ErrorOrWarning(text: "late")).encoded()
    let record = [0xfe, 0xba, 0x70, 0, 9, UInt8(code.count)] + code
    expect(try Message(decoding: plain + record), is: .warning(ErrorOrWarning(text: "late")))
  }

  @Test func `A message with 13,000 TLV records is read, and an init with as many is written unchanged`()
    throws
  {
    var bytes: [UInt8] = [0, 7, 0, 0]
    for number in 0..<13_000 {
      let type = 1 + 2 * number
      bytes += type < 253 ? [UInt8(type), 0] : [253, UInt8(type >> 8), UInt8(type & 0xff), 0]
    }
    #expect(bytes.count < Message.maximumSize)
    expect(try Message(decoding: bytes), is: .peerStorage([]))
    let initMessage = [0, 16, 0, 0, 0, 0] + bytes.dropFirst(4)
    expect(try Message(decoding: initMessage).encoded(), is: initMessage)
  }
}

/// Layouts in which both ends could have the same mistake and still interoperate.
@Suite("Numbers on the wire") struct WireNumberTests {
  /// The vectors of BOLT 1, appendix A.
  @Test(
    arguments: [
      (0, [0x00]), (0xfc, [0xfc]), (0xfd, [0xfd, 0x00, 0xfd]), (0xffff, [0xfd, 0xff, 0xff]),
      (0x1_0000, [0xfe, 0x00, 0x01, 0x00, 0x00]), (0xffff_ffff, [0xfe, 0xff, 0xff, 0xff, 0xff]),
      (0x1_0000_0000, [0xff, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00]),
      (.max, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
    ] as [(UInt64, [UInt8])])
  func `A BigSize is written and read in its shortest form`(value: UInt64, bytes: [UInt8]) throws {
    var writer = WireWriter()
    writer.bigSize(value)
    expect(writer.bytes, is: bytes)
    var reader = WireReader(bytes)
    expect(try reader.bigSize(), is: value)
    #expect(reader.isAtEnd)
    for count in bytes.indices {
      var short = WireReader(Array(bytes.prefix(count)))
      #expect(throws: WireError.truncated) { try short.bigSize() }
    }
  }

  @Test(
    arguments: [
      [0xfd, 0x00, 0xfc], [0xfe, 0x00, 0x00, 0xff, 0xff],
      [0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff],
    ] as [[UInt8]])
  func `A BigSize that is not minimal is refused`(bytes: [UInt8]) {
    var reader = WireReader(bytes)
    #expect(throws: WireError.numberNotMinimal) { try reader.bigSize() }
  }
}

import Crypto
import Ground
import Testing

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
  @Test func `An encoded message decodes to the same message`() throws {
    for message in everyMessage {
      let isSame = try Message(decoding: message.encoded()) == message
      #expect(isSame, "type \(message.type)")
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
    #expect(text == #"{"peerStorage":{"_0":{"count":20000,"sha256":"\#(SHA256.hash(sealed).hex)"}}}"#)
    let read = try JSONLineDecoder().decode(Message.self, from: Array(text.utf8))
    #expect(try JSONLineEncoder().encode(read) == text)
  }

  @Test func `A journal has an onion packet without the zeros at its end`() throws {
    var bytes = [UInt8](repeating: 0, count: OnionPacket.size)
    for hex in ["", "01", "0101"] {
      for place in 0..<(hex.count / 2) { bytes[place] = 1 }
      let packet = try #require(OnionPacket(bytes))
      #expect(try JSONLineEncoder().encode(packet) == "\"\(hex)\"")
      #expect(try JSONLineDecoder().decode(OnionPacket.self, from: Array("\"\(hex)\"".utf8)) == packet)
    }
    let long = Array("\"\(String(repeating: "01", count: OnionPacket.size + 1))\"".utf8)
    #expect(throws: DecodingError.self) { try JSONLineDecoder().decode(OnionPacket.self, from: long) }
  }

  @Test
  func `Messages have the bytes, or at least the length, of BOLT 1 and 2 and of the private ones`() {
    #expect(Hexadecimal.encode(Message.ping(Ping(pongSize: 3, ignored: [9])).encoded()) == "00120003000109")
    #expect(Hexadecimal.encode(Message.pong([0, 0]).encoded()) == "001300020000")
    #expect(Hexadecimal.encode(Message.peerStorage([0xaa]).encoded()) == "00070001aa")
    #expect(Hexadecimal.encode(Message.peerStorageRetrieval([0xaa]).encoded()) == "00090001aa")
    // 2 features of 8 bytes: bits 63, 43, 35, 13, 7, 1. Then the one chain.
    let regtest = "0120" + "06226e46111a0b59caaf126043eb5bbf28c34f3a5e332a1fc7b2b73cf188910f"
    #expect(
      Hexadecimal.encode(Message.initMessage(InitMessage(features: .ofProvider(splices: true))).encoded())
        == "0010000000088000080800002082" + regtest)
    #expect(
      Hexadecimal.encode(
        Message.initMessage(InitMessage(features: .ofProvider(splices: false), networks: nil)).encoded())
        == "001000000006080000002082")
    // A wallet keeps no backups of other nodes: without bit 43.
    #expect(
      Hexadecimal.encode(
        Message.initMessage(InitMessage(features: .ofWallet(splices: true), networks: nil)).encoded())
        == "0010000000088000000800002082")
    #expect(
      Hexadecimal.encode(
        Message.fenceAnswer(FenceAnswer(accepted: true, highest: 5, container: ContainerID(high: 1, low: 2)))
          .encoded()) == "ba71" + "01" + "0000000000000005" + "0000000000000001" + "0000000000000002")
    #expect(
      Hexadecimal.encode(Message.pushKey(CurvePoint(unchecked: Bytes([2] + hash.bytes))).encoded())
        == "ba73" + "02" + hash.hex)
    #expect(Hexadecimal.encode(Message.holdEnded(hash).encoded()) == "ba75" + hash.hex)
    #expect(
      Hexadecimal.encode(Message.failHTLC(FailHTLC(channel: id, id: 1, code: 0x1007)).encoded())
        == "0083" + id.hex + "0000000000000001" + "0002" + "1007")
    let malformed = FailMalformedHTLC(channel: id, id: 1, onionHash: hash, code: 0xC005)
    #expect(
      Hexadecimal.encode(Message.failMalformedHTLC(malformed).encoded())
        == "0087" + id.hex + "0000000000000001" + hash.hex + "c005")
    #expect(
      Hexadecimal.encode(Message.updateFee(UpdateFee(channel: id, feeratePerKw: 253)).encoded())
        == "0086" + id.hex + "000000fd")
    #expect(
      Message.addHTLC(AddHTLC(channel: id, id: 0, amountMsat: 1, paymentHash: hash, cltvExpiry: 1))
        .encoded().count == 2 + 32 + 8 + 8 + 32 + 4 + 1366)
    #expect(
      Message.commitmentSigned(CommitmentSigned(channel: id, htlcSignatures: [.zeros])).encoded().count
        == 2 + 32 + 64 + 2 + 64)
    #expect(
      Message.revokeAndAck(RevokeAndAck(channel: id, perCommitmentSecret: hash)).encoded().count
        == 2 + 32 + 32 + 33)
  }

  @Test func `The fence is one private odd record at the end of init`() {
    let initMessage = InitMessage(
      features: Features(), fence: Claim(epoch: 1, incarnation: 2, container: ContainerID(high: 3, low: 4)),
      networks: nil)
    #expect(
      Hexadecimal.encode(Message.initMessage(initMessage).encoded())
        == "001000000000" + "feba700001" + "20" + "0000000000000001" + "0000000000000002"
        + "0000000000000003" + "0000000000000004")
  }

  @Test func `A message of an unknown odd type is kept, and one of an unknown even type is refused`() throws {
    #expect(try Message(decoding: [0x80, 0x01, 5]) == .unknown(type: 32769, bytes: [5]))
    // Another implementation may use the type of our fence answer.
    #expect(try Message(decoding: [0xba, 0x71, 5]) == .unknown(type: 0xba71, bytes: [5]))
    #expect(throws: WireError.unknownEvenMessage(32768)) { try Message(decoding: [0x80, 0x00, 5]) }
  }

  @Test func `TLV records must increase, be complete, be known if even, and be minimally encoded`() throws {
    let initMessage: [UInt8] = [0, 16, 0, 0, 0, 0]
    #expect(throws: WireError.recordsNotIncreasing) {
      try Message(decoding: initMessage + [5, 0, 3, 0])
    }
    #expect(throws: WireError.recordsNotIncreasing) {
      try Message(decoding: initMessage + [5, 0, 5, 0])
    }
    #expect(throws: WireError.unknownEvenRecord(4)) { try Message(decoding: initMessage + [4, 0]) }
    #expect(throws: WireError.truncated) { try Message(decoding: initMessage + [5, 2, 1]) }
    #expect(throws: WireError.truncated) {
      try Message(decoding: initMessage + [5, 0xff, 255, 255, 255, 255, 255, 255, 255, 255])
    }
    #expect(throws: WireError.numberNotMinimal) {
      try Message(decoding: initMessage + [0xfd, 0, 5, 0])
    }
    #expect(throws: WireError.malformedRecord(Claim.recordType)) {
      try Message(decoding: initMessage + [0xfe, 0xba, 0x70, 0, 1, 1, 0])
    }
    let kept = try Message(decoding: initMessage + [5, 1, 9])
    guard case .initMessage(let body) = kept else { return #expect(Bool(false)) }
    #expect(body.others[5] == [9])
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

  @Test func `Random bytes never crash the decoder of messages`() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<20_000 {
      let type = [0, 1, 7, 9, 16, 17, 18, 19, 128, 130, 131, 132, 133, 134, 135, 136][random.below(16)]
      let body = (0..<random.below(200)).map { _ in
        random.oneIn(2) ? UInt8(random.below(256)) : 0
      }
      _ = try? Message(decoding: [0, UInt8(type)] + body)
    }
  }

  @Test func `A ping that requests 65532 bytes or more gets no pong`() {
    #expect(Ping(pongSize: 65531).answer == .pong(Bytes(repeating: 0, count: 65531)))
    #expect(Ping(pongSize: 65532).answer == nil)
  }

  @Test func `The text of an error is safe for a terminal`() {
    #expect(ErrorOrWarning(data: Bytes(Array("a\u{1b}[1m".utf8))).text == "a.[1m")
  }

  @Test(arguments: [[], [2], [1, 1]] as [[UInt8]])
  func `A warning with an unknown code is read as a warning without a code`(code: [UInt8]) throws {
    let plain = Message.warning(ErrorOrWarning(text: "late")).encoded()
    let record = [0xfe, 0xba, 0x70, 0, 9, UInt8(code.count)] + code
    #expect(try Message(decoding: plain + record) == .warning(ErrorOrWarning(text: "late")))
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
    #expect(try Message(decoding: bytes) == .peerStorage([]))
    let initMessage = [0, 16, 0, 0, 0, 0] + bytes.dropFirst(4)
    #expect(try Message(decoding: initMessage).encoded() == initMessage)
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
    #expect(writer.bytes == bytes)
    var reader = WireReader(bytes)
    #expect(try reader.bigSize() == value)
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

  @Test
  func `channel_reestablish has the next commitment number before the next revocation number`() throws {
    let message = Message.channelReestablish(
      ChannelReestablish(
        channel: SHA256.hash([1]), nextCommitmentNumber: 5, nextRevocationNumber: 4,
        yourLastPerCommitmentSecret: SHA256.hash([2])))
    let numbers: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 4]
    let bytes = [0, 136] + SHA256.hash([1]).bytes + numbers + SHA256.hash([2]).bytes
    #expect(message.encoded() == bytes + [UInt8](repeating: 0, count: 33))
    #expect(try Message(decoding: message.encoded()) == message)
  }

  @Test func `The text of an error has only printable ASCII`() {
    let complaint = ErrorOrWarning(data: Bytes([0x1f, 0x20, 0x41, 0x7e, 0x7f, 0x80, 0x0a]))
    #expect(complaint.text == ". A~...")
  }
}

import Crypto
import Testing

@testable import Lightning

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

import Crypto
import Testing

@testable import Bitcoin
@testable import LightningWire

/// Layouts that both ends of this project could get wrong alike, and talk to each other all the same.
@Suite("Numbers on the wire") struct WireNumberTests {
  /// The vectors of BOLT 1, appendix A.
  @Test(
    "A BigSize is written and read in its shortest form",
    arguments: [
      (0, [0x00]), (0xfc, [0xfc]), (0xfd, [0xfd, 0x00, 0xfd]), (0xffff, [0xfd, 0xff, 0xff]),
      (0x1_0000, [0xfe, 0x00, 0x01, 0x00, 0x00]), (0xffff_ffff, [0xfe, 0xff, 0xff, 0xff, 0xff]),
      (0x1_0000_0000, [0xff, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00]),
      (.max, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
    ] as [(UInt64, [UInt8])])
  func shortest(value: UInt64, bytes: [UInt8]) throws {
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
    "A BigSize in a longer form than it needs is refused",
    arguments: [
      [0xfd, 0x00, 0xfc], [0xfe, 0x00, 0x00, 0xff, 0xff],
      [0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff],
    ] as [[UInt8]])
  func longer(bytes: [UInt8]) {
    var reader = WireReader(bytes)
    #expect(throws: WireError.numberNotMinimal) { try reader.bigSize() }
  }

  @Test("channel_reestablish: the next commitment comes before the next revocation") func reestablish() throws
  {
    let message = Message.channelReestablish(
      ChannelReestablish(
        channel: SHA256.hash([1]), nextCommitmentNumber: 5, nextRevocationNumber: 4,
        yourLastPerCommitmentSecret: SHA256.hash([2])))
    let numbers: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 4]
    let bytes = [0, 136] + SHA256.hash([1]).bytes + numbers + SHA256.hash([2]).bytes
    #expect(message.encoded() == bytes + [UInt8](repeating: 0, count: 33))
    #expect(try Message(decoding: message.encoded()) == message)
  }

  @Test("What a peer complains of has only printable ASCII when it is shown") func complaint() {
    let complaint = ErrorOrWarning(data: Bytes([0x1f, 0x20, 0x41, 0x7e, 0x7f, 0x80, 0x0a]))
    #expect(complaint.text == ". A~...")
  }
}

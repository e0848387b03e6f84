import Ground
import Guardrails
import Testing

@Suite struct PresenceMessageTests {
  static let all: [PresenceMessage] = PresenceCode.allCases.flatMap { code in
    [nil, 0, 7, Epoch.max].flatMap { (released: Epoch?) in
      (0..<4).map { flags in
        PresenceMessage(
          code: code, wantsNode: flags & 1 != 0, asksForHandover: flags & 2 != 0, released: released)
      }
    }
  }

  @Test func `Every presence message decodes to itself`() {
    for message in Self.all {
      #expect(message.encoded().count == PresenceMessage.size)
      #expect(PresenceMessage(decoding: message.encoded()) == message)
    }
  }

  @Test func `A truncated or extended presence message is refused`() {
    let bytes = Self.all[6].encoded()
    for length in 0..<bytes.count { #expect(PresenceMessage(decoding: Array(bytes[..<length])) == nil) }
    #expect(PresenceMessage(decoding: bytes + [0]) == nil)
  }

  /// Only the canonical encoding of a message is accepted.
  @Test func `A presence message with a flipped bit is refused, or is the exact encoding of another message`()
  {
    for message in Self.all {
      let bytes = message.encoded()
      for bit in 0..<(8 * bytes.count) {
        var changed = bytes
        changed[bit / 8] ^= 1 << (bit % 8)
        guard let read = PresenceMessage(decoding: changed) else { continue }
        #expect(read != message)
        #expect(read.encoded() == changed)
      }
    }
  }
}

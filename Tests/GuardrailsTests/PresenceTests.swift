import Guardrails

@Suite struct PresenceTests {
  @Test func `The six presence codes are those of Phoenix`() {
    let codes = Role.allCases.flatMap { role in
      [PresenceCode.Kind.ping, .pong, .unavailable].map { PresenceCode(role, $0).rawValue }
    }
    expect(codes, is: [1, 2, 3, 4, 8, 12])
  }

  @Test func `Every presence code is composed of its role and its kind of message`() {
    for code in PresenceCode.allCases { expect(PresenceCode(code.speaker, code.kind), is: code) }
  }

  @Test func `Before its first resume a presence ignores messages`() {
    let presence = Presence(role: .app)
    #expect(presence.isSuspended)
    expect(presence.heard(.extensionPing), is: .ignored)
  }

  @Test func `Resuming sends a ping, suspending sends unavailable`() {
    var presence = Presence(role: .extension)
    expect(presence.resume(), is: .extensionPing)
    expect(presence.suspend(), is: .extensionUnavailable)
  }

  @Test func `Calls of suspend nest, and only the outermost suspend and resume send a message`() {
    var presence = Presence(role: .app)
    _ = presence.resume()
    expect(presence.suspend(), is: .appUnavailable)
    #expect(presence.suspend() == nil)
    #expect(presence.resume() == nil)
    expect(presence.heard(.extensionPing), is: .ignored)
    expect(presence.resume(), is: .appPing)
    #expect(!presence.isSuspended)
  }

  @Test func `An extra resume does not offset the next suspend`() {
    var presence = Presence(role: .app)
    _ = presence.resume()
    #expect(presence.resume() == nil)
    expect(presence.suspend(), is: .appUnavailable)
  }

  @Test func `Only a ping is answered, with a pong`() {
    var presence = Presence(role: .app)
    _ = presence.resume()
    expect(presence.heard(.extensionPing), is: .counts(answer: .appPong))
    expect(presence.heard(.extensionPong), is: .counts(answer: nil))
    expect(presence.heard(.extensionUnavailable), is: .counts(answer: nil))
  }

  @Test func `A presence ignores messages of its own role`() {
    for role in Role.allCases {
      var presence = Presence(role: role)
      _ = presence.resume()
      for word in [PresenceCode.Kind.ping, .pong, .unavailable] {
        expect(presence.heard(PresenceCode(role, word)), is: .ignored)
      }
    }
  }
}

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
      expect(message.encoded().count, is: PresenceMessage.size)
      expect(PresenceMessage(decoding: message.encoded()), is: message)
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
        expect(read.encoded(), is: changed)
      }
    }
  }
}

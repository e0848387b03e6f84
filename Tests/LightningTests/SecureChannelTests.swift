@testable import Lightning

@Suite("An encrypted connection") struct SecureChannelTests {
  private func pair() throws -> (dialler: SecureChannel, answerer: SecureChannel) {
    func key() throws -> PrivateKey { try #require(Bytes32(randomBytes(32)).flatMap { PrivateKey($0) }) }
    let (ours, theirs) = (try key(), try key())
    var opening: [UInt8] = []
    var dialler = SecureChannel(dialling: theirs.publicKey, as: ours, ephemeral: try key(), opening: &opening)
    var answerer = SecureChannel(answeringAs: theirs, ephemeral: try key())
    answerer.append(opening[...])
    guard case .handshake(let actTwo, nil) = try answerer.next() else { throw TransportError.badTag(act: 1) }
    dialler.append(actTwo[...])
    guard case .handshake(let actThree, theirs.publicKey) = try dialler.next() else {
      throw TransportError.badTag(act: 2)
    }
    answerer.append(actThree[...])
    expect(try answerer.next(), is: .handshake(reply: [], established: ours.publicKey))
    return (dialler, answerer)
  }

  private func seal(_ message: [UInt8], with channel: inout SecureChannel) throws -> [UInt8] {
    let sealed = channel.seal(message)
    return try #require(sealed)
  }

  private func all(_ channel: inout SecureChannel) throws -> [[UInt8]] {
    var messages: [[UInt8]] = []
    while let event = try channel.next() {
      if case .message(let message) = event { messages.append(message) }
    }
    return messages
  }

  @Test func `Messages of 0 to 65535 bytes arrive whole however their bytes are split, across key rotations`()
    throws
  {
    var (dialler, answerer) = try pair()
    var generator = SeededGenerator(seed: 8)
    for round in 0..<1200 {
      let size = round < 3 ? [0, 1, 65535][round] : Int.random(in: 0...300, using: &generator)
      let message = (0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) }
      var sealed = try seal(message, with: &dialler)[...]
      var came: [[UInt8]] = []
      while !sealed.isEmpty {
        let piece = sealed.prefix(Int.random(in: 1...max(1, sealed.count), using: &generator))
        sealed = sealed.dropFirst(piece.count)
        answerer.append(piece)
        came += try all(&answerer)
        expect(answerer.isIncomplete, is: !sealed.isEmpty)
      }
      expect(came, is: [message])
      dialler.append(try seal(message, with: &answerer)[...])
      expect(try all(&dialler), is: [message])
    }
  }

  @Test func `A changed byte fails the connection, and no later message is read`() throws {
    let (first, second) = try pair()
    var sender = first
    let sealed = try seal([1, 2, 3], with: &sender)
    for position in sealed.indices {
      var receiver = second
      var changed = sealed
      changed[position] ^= 0x10
      receiver.append(changed[...])
      let wanted = position < 18 ? TransportError.badLength : .badMessage
      #expect(throws: wanted) { try receiver.next() }
      receiver.append(sealed[...])
      #expect(try receiver.next() == nil)
      #expect(receiver.seal([1]) == nil)
    }
  }

  @Test func `A replayed or reordered message is refused`() throws {
    let (first, second) = try pair()
    var sender = first
    let one = try seal([1], with: &sender)
    let two = try seal([2], with: &sender)
    var receiver = second
    receiver.append((one + one)[...])
    expect(try receiver.next(), is: .message([1]))
    #expect(throws: TransportError.badLength) { try receiver.next() }
    receiver = second
    receiver.append(two[...])
    #expect(throws: TransportError.badLength) { try receiver.next() }
  }

  @Test func `A message above 65535 bytes, or before the handshake, is not sealed`() throws {
    var (dialler, _) = try pair()
    #expect(dialler.seal([UInt8](repeating: 0, count: 65536)) == nil)
    let key = try #require(PrivateKey(SHA256.hash([1])))
    var early = SecureChannel(answeringAs: key, ephemeral: key)
    #expect(early.seal([1]) == nil)
  }
}

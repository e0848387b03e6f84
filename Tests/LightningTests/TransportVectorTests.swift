@testable import Lightning

/// BOLT 8, appendix A: each vector under the name that it has there.
@Suite("BOLT 8") struct TransportVectorTests {
  private static let dialler = key(0x11)
  private static let diallerEphemeral = key(0x12)
  private static let answerer = key(0x21)
  private static let answererEphemeral = key(0x22)

  private static let actOne =
    "00036360e856310ce5d294e8be33fc807077dc56ac80d95d9cd4ddbd21325eff73f70df6086551151f58b8afe6c195782c6a"
  private static let actTwo =
    "0002466d7fcae563e5cb09a0d1870bb580344804617879a14949cf22285f1bae3f276e2470b93aac583c9ef6eafca3f730ae"
  private static let actThree =
    "00b9e3a702e93e3a9948c2ed6e5fd7590a6e1c3a0344cfc9d5b57357049aa22355361aa02e55a8fc28fef5bd6d71ad0c3822"
    + "8dc68b1c466263b47fdf31e560e139ba"

  private static func key(_ byte: UInt8) -> PrivateKey {
    Bytes32([UInt8](repeating: byte, count: 32)).flatMap { PrivateKey($0) }!
  }

  private func bytes(_ hex: String) throws -> [UInt8] { try #require(Hexadecimal.decode(hex)) }

  private func initiator() throws -> SecureChannel {
    var opening: [UInt8] = []
    let channel = SecureChannel(
      dialling: Self.answerer.publicKey, as: Self.dialler, ephemeral: Self.diallerEphemeral,
      opening: &opening)
    expect(Hexadecimal.encode(opening), is: Self.actOne)
    return channel
  }

  private func responder(after act: String? = nil) throws -> SecureChannel {
    var channel = SecureChannel(answeringAs: Self.answerer, ephemeral: Self.answererEphemeral)
    guard let act else { return channel }
    channel.append(try bytes(act)[...])
    expect(try channel.next(), is: .handshake(reply: try bytes(Self.actTwo), established: nil))
    return channel
  }

  // MARK: Initiator Tests

  @Test func `transport-initiator successful handshake`() throws {
    var channel = try initiator()
    channel.append(try bytes(Self.actTwo)[...])
    expect(
      try channel.next(),
      is: .handshake(reply: try bytes(Self.actThree), established: Self.answerer.publicKey))
    #expect(channel.isEstablished)
  }

  // MARK: Responder Tests

  @Test func `transport-responder successful handshake`() throws {
    var channel = try responder(after: Self.actOne)
    channel.append(try bytes(Self.actThree)[...])
    expect(try channel.next(), is: .handshake(reply: [], established: Self.dialler.publicKey))
    #expect(channel.isEstablished)
  }

  // MARK: Refused and short acts

  private enum End { case initiator, responder, responderAfterActOne }

  private static let badKeyOfActThree =
    "00bfe3a702e93e3a9948c2ed6e5fd7590a6e1c3a0344cfc9d5b57357049aa2235536ad09a8ee351870c2bb7f78b754a26c6c"
    + "ef79a98d25139c856d7efd252c2ae73c"

  /// The act, and the vector's error; nil for a short read, after which the channel waits for more bytes.
  private static let refused: [(name: String, by: End, act: String, error: TransportError?)] = [
    ("transport-initiator act2 short read test", .initiator, "\(actTwo.dropLast(2))", nil),
    (
      "transport-initiator act2 bad version test", .initiator, "01\(actTwo.dropFirst(2))",
      .unknownVersion(act: 2, version: 1)
    ),
    (
      "transport-initiator act2 bad key serialization test", .initiator, "0004\(actTwo.dropFirst(4))",
      .badKey(act: 2)
    ),
    ("transport-initiator act2 bad MAC test", .initiator, "\(actTwo.dropLast())f", .badTag(act: 2)),
    ("transport-responder act1 short read test", .responder, "\(actOne.dropLast(2))", nil),
    (
      "transport-responder act1 bad version test", .responder, "01\(actOne.dropFirst(2))",
      .unknownVersion(act: 1, version: 1)
    ),
    (
      "transport-responder act1 bad key serialization test", .responder, "0004\(actOne.dropFirst(4))",
      .badKey(act: 1)
    ),
    ("transport-responder act1 bad MAC test", .responder, "\(actOne.dropLast())b", .badTag(act: 1)),
    (
      "transport-responder act3 bad version test", .responderAfterActOne, "01\(actThree.dropFirst(2))",
      .unknownVersion(act: 3, version: 1)
    ),
    ("transport-responder act3 short read test", .responderAfterActOne, "\(actThree.dropLast(2))", nil),
    (
      "transport-responder act3 bad MAC for ciphertext test", .responderAfterActOne,
      "00c9\(actThree.dropFirst(4))", .badCiphertext
    ),
    ("transport-responder act3 bad rs test", .responderAfterActOne, badKeyOfActThree, .badKey(act: 3)),
    (
      "transport-responder act3 bad MAC test", .responderAfterActOne, "\(actThree.dropLast())b",
      .badTag(act: 3)
    ),
  ]

  @Test(arguments: refused.indices)
  func `An invalid act is refused with its error, and a short one waited for`(row: Int) throws {
    let (name, end, act, error) = Self.refused[row]
    var channel =
      switch end {
      case .initiator: try initiator()
      case .responder: try responder()
      case .responderAfterActOne: try responder(after: Self.actOne)
      }
    channel.append(try bytes(act)[...])
    guard let error else {
      #expect(try channel.next() == nil, "\(name)")
      return #expect(channel.isIncomplete, "\(name)")
    }
    #expect(throws: error, "\(name)") { try channel.next() }
    #expect(channel.seal([1]) == nil, "\(name)")
    #expect(try channel.next() == nil, "\(name)")
  }

  // MARK: Message Encryption Tests

  private func seal(_ message: [UInt8], with channel: inout SecureChannel) throws -> [UInt8] {
    let sealed = channel.seal(message)
    return try #require(sealed)
  }

  @Test func `transport-message test`() throws {
    var sender = try initiator()
    sender.append(try bytes(Self.actTwo)[...])
    _ = try sender.next()
    var receiver = try responder(after: Self.actOne)
    receiver.append(try bytes(Self.actThree)[...])
    _ = try receiver.next()
    let outputs = [
      0: "cf2b30ddf0cf3f80e7c35a6e6730b59fe802473180f396d88a8fb0db8cbcf25d2f214cf9ea1d95",
      1: "72887022101f0b6753e0c7de21657d35a4cb2a1f5cde2650528bbc8f837d0f0d7ad833b1a256a1",
      500: "178cb9d7387190fa34db9c2d50027d21793c9bc2d40b1e14dcf30ebeeeb220f48364f7a4c68bf8",
      501: "1b186c57d44eb6de4c057c49940d79bb838a145cb528d6e8fd26dbe50a60ca2c104b56b60e45bd",
      1000: "4a2f3cc3b5e78ddb83dcb426d9863d9d9a723b0337c89dd0b005d89f8d3c05c52b76b29b740f09",
      1001: "2ecd8c8a5629d0d02ab457a0fdd0f7b90a192cd46be5ecb6ca570bfc5e268338b1a16cf4ef2d36",
    ]
    let hello = Array("hello".utf8)
    for number in 0...1001 {
      let sealed = try seal(hello, with: &sender)
      if let output = outputs[number] { expect(Hexadecimal.encode(sealed), is: output, "message \(number)") }
      receiver.append(sealed[...])
      expect(try receiver.next(), is: .message(hello))
    }
  }
}

@testable import Lightning

@Suite("Payment data") struct PaymentDataTests {
  private let secret = SHA256.hash([7])
  private let hash = SHA256.hash([8])

  private func addition(_ data: PaymentData?, others: RecordStream = RecordStream()) -> Message {
    .addHTLC(
      AddHTLC(
        channel: hash, id: 1, amountMsat: 5, paymentHash: hash, cltvExpiry: 700, paymentData: data,
        extensions: others))
  }

  /// The same message with this value in the record's place.
  private func decoded(_ value: [UInt8]) throws -> Message {
    var others = RecordStream()
    others.set(PaymentData.recordType, Bytes(value))
    var bytes = addition(nil).encoded()
    var writer = WireWriter()
    writer.records(&others)
    bytes += writer.bytes
    return try Message(decoding: bytes)
  }

  @Test func `Payment data is one private odd record of update_add_htlc, laid out as in BOLT 4`() throws {
    let plain = addition(nil).encoded()
    let bytes = addition(PaymentData(secret: secret, totalMsat: 0x0102)).encoded()
    expect(
      Hexadecimal.encode(Array(bytes.dropFirst(plain.count))), is: "feba700005" + "22" + secret.hex + "0102")
    #expect(PaymentData.recordType > 65536 && PaymentData.recordType % 2 == 1)
  }

  @Test func `Every total_msat is read back as written, and re-encoded unchanged`() throws {
    var random = SeededGenerator(seed: 11)
    var totals: [UInt64] = [0, 1, 0xff, 0x100, .max]
    for _ in 0..<500 { totals.append(random.next() >> UInt64(random.below(64))) }
    for total in totals {
      var others = RecordStream()
      if random.chance(50) { others.set(1, [1]) }
      if random.chance(50) { others.set(PaymentData.recordType + 2, [2, 3]) }
      let message = addition(PaymentData(secret: secret, totalMsat: total), others: others)
      let bytes = message.encoded()
      expect(try Message(decoding: bytes), is: message)
      expect(try Message(decoding: bytes).encoded(), is: bytes)
    }
  }

  @Test func `A total_msat with a leading zero, or payment data of wrong length, is refused`() throws {
    let malformed = WireError.malformedRecord(PaymentData.recordType)
    expect(try decoded(secret.bytes), is: addition(PaymentData(secret: secret, totalMsat: 0)))
    expect(try decoded(secret.bytes + [5]), is: addition(PaymentData(secret: secret, totalMsat: 5)))
    #expect(throws: malformed) { try decoded([]) }
    #expect(throws: malformed) { try decoded(Array(secret.bytes.dropLast())) }
    #expect(throws: malformed) { try decoded(secret.bytes + [0]) }
    #expect(throws: malformed) { try decoded(secret.bytes + [0, 5]) }
    #expect(throws: malformed) { try decoded(secret.bytes + [UInt8](repeating: 1, count: 9)) }
  }

  @Test func `After a reconnect an HTLC is sent again with its payment data, which the channel also stores`()
    throws
  {
    var (peer, wallet) = try channelPair()
    let data = PaymentData(secret: secret, totalMsat: 30)
    _ = try peer.offer(amountMsat: 10, paymentHash: hash, cltvExpiry: 700, paymentData: data)
    let first = peer.takeOutgoing()
    peer.disconnected()
    wallet.disconnected()
    try connect(&peer, &wallet)
    expect(peer.takeOutgoing(), is: first)
    for case .message(let message) in first { _ = try wallet.receive(message) }
    expect(wallet.htlcs.map(\.paymentData), is: [data])
    expect(try Channel(decoding: wallet.encoded()).htlcs.map(\.paymentData), is: [data])
  }
}

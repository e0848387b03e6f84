@testable import Lightning

/// Why the invoice is refused; nil if it is read.
func invoiceFailure(_ encoded: String) -> InvoiceError? {
  do throws(InvoiceError) {
    _ = try SignedInvoice(decoding: encoded)
    return nil
  } catch { return error }
}

/// Random fields of an invoice.
struct InvoiceFixture {
  var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(random.below(256)) } }

  mutating func hash() -> Bytes32 { Bytes32(bytes(32))! }

  mutating func key() -> PrivateKey { PrivateKey(hash()) ?? key() }

  /// A random number of any bit length.
  mutating func number() -> UInt64 { random.next() >> UInt64(random.below(64)) }

  private mutating func maybe<Value>(_ value: (inout Self) -> Value) -> Value? {
    random.chance(50) ? value(&self) : nil
  }

  private mutating func text() -> String {
    let letters: [Character] = ["a", "Z", " ", "é", "杯", "☕", "\n", "\u{1b}", "1"]
    return String((0..<random.below(150)).map { _ in random.pick(letters) })
  }

  private mutating func fallback() -> BitcoinAddress {
    let version = UInt8(random.below(19))
    let size = version == 0 ? random.pick([20, 32]) : version > 16 ? 20 : 2 + random.below(39)
    return BitcoinAddress(version: version, program: bytes(size))!
  }

  private mutating func hop() -> RouteHop {
    RouteHop(
      node: key().publicKey, channel: ShortChannelID(number()),
      baseFeeMsat: UInt32(truncatingIfNeeded: number()), feeMillionths: UInt32(truncatingIfNeeded: number()),
      expiryDelta: UInt16(truncatingIfNeeded: number()))
  }

  mutating func fields(for key: PrivateKey) -> InvoiceFields {
    let known = [8, 9, 14, 15, 16, 17, 24, 25, 36, 37, 48, 49]
    let odd = (0..<random.below(4)).map { _ in 2 * random.below(2000) + 1 }
    let chosen = known.filter { _ in random.chance(30) } + odd
    let parts = chosen.contains { $0 | 1 == 17 } ? [14] : []
    return InvoiceFields(
      network: random.pick(BitcoinNetwork.allCases), amountMsat: maybe { max(1, $0.number()) },
      timestamp: number() & InvoiceFields.timestampMax, paymentHash: hash(), paymentSecret: hash(),
      purpose: random.chance(70) ? .text(text()) : .hash(hash()), expirySeconds: maybe { $0.number() },
      finalExpiryDelta: maybe { $0.number() },
      metadata: maybe { fixture in Bytes(fixture.bytes(fixture.random.below(640))) },
      payee: random.chance(30) ? key.publicKey : nil,
      fallbacks: (0..<random.below(3)).map { _ in fallback() },
      routeHints: (0..<random.below(3)).map { _ in (0...random.below(12)).map { _ in hop() } },
      features: Features(chosen + parts))
  }
}

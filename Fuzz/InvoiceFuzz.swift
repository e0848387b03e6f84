import Crypto

@testable import Lightning

/// An invoice as a user pastes it. Checksum and signature would stop every guess, so the input is also read with
/// valid ones: as prefix and fields, and as the data words.
enum InvoiceFuzz: FuzzTarget {
  static let name = "invoice"
  static let longestInput = 2000

  private static let key = PrivateKey(SampleMessages.preimage)

  static var seeds: [[UInt8]] {
    let words = samples.compactMap { fields in
      key.flatMap { key in try? SignedInvoice(fields, signedBy: key).encoded }
    }
    return words.map { Array($0.utf8) } + words.compactMap(content)
      + ["LNBC1", "lightning:lnbcrt1", "lnbc2500u1pvjluez"].map { Array($0.utf8) }
  }

  private static var samples: [InvoiceFields] {
    let plain = InvoiceFields(
      network: .regtest, amountMsat: 5_000_000, timestamp: 1_795_208_192,
      paymentHash: SampleMessages.preimage, paymentSecret: SampleMessages.preimage, purpose: .text("Coffee"),
      expirySeconds: 3600, finalExpiryDelta: 18)
    var full = plain
    full.network = .mainnet
    full.amountMsat = 967_878_534
    full.purpose = .hash(SampleMessages.preimage)
    full.metadata = [1, 2, 3]
    full.payee = key?.publicKey
    full.fallbacks = [0, 1, 17, 18].compactMap {
      BitcoinAddress(version: $0, program: [UInt8](repeating: 7, count: 20))
    }
    full.routeHints =
      key.map { [[RouteHop(node: $0.publicKey, channel: ShortChannelID(1), expiryDelta: 144)]] } ?? []
    full.features = Features([8, 14, 17, 99])
    var open = plain
    open.amountMsat = nil
    open.network = .signet
    return [plain, full, open]
  }

  /// The human-readable part, a zero, and the 5-bit words up to the signature.
  private static func content(of word: String) -> [UInt8]? {
    guard let (prefix, words, _) = try? Bech32.decode(word) else { return nil }
    return Array(prefix.utf8) + [0] + words.dropLast(104)
  }

  static func feed(_ bytes: [UInt8]) {
    read(text(bytes))
    let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    guard let key, parts.count == 2 else { return }
    let prefix = String(
      decoding: parts[0].filter { (97...122).contains($0) || (48...57).contains($0) }, as: UTF8.self)
    var writer = BitWriter()
    writer.put(parts[1].map { $0 & 31 })
    let digest = SHA256.hash(Array(prefix.utf8) + Bech32.paddedBytes(of: writer.words))
    let signature = key.sign(digest)
    writer.bytes(signature.compact + [signature.recovery])
    read(Bech32.encode(prefix: prefix, words: writer.words))
  }

  /// The same fields with a new signature are read as the same invoice.
  private static func read(_ word: String) {
    do throws(InvoiceError) {
      let invoice = try SignedInvoice(decoding: word)
      let same = try SignedInvoice(decoding: invoice.encoded)
      promise(same == invoice, "a re-signed invoice is read differently")
      guard let key, invoice.fields.payee.map({ $0 == key.publicKey }) ?? true else { return }
      let again = try SignedInvoice(decoding: try SignedInvoice(invoice.fields, signedBy: key).encoded)
      promise(again.fields == invoice.fields, "an invoice does not round-trip")
    } catch { promiseOneLine(error.description) }
  }
}

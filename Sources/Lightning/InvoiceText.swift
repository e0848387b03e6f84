import Crypto

/// An invoice as one word that a person can copy: what the sender must know, and nothing of the wallet's.
///
/// `lnbaton1`, then in lower-case hexadecimal: version 1 · payment hash 32 · amount in msat 8 · expiry 8 (seconds
/// since 1970) · length of the text 2 · text in UTF-8 · the first 4 bytes of the SHA-256 of all before. Numbers are
/// big-endian. It carries no signature: the wire form of BOLT 11 takes its place later.
public struct InvoiceText: Hashable, Sendable {
  public static let prefix = "lnbaton1"
  /// In bytes; as much of it as the backup at the peer keeps too.
  public static let textLimit = 200
  static let version: UInt8 = 1
  static let checksumSize = 4
  static let bytesMax = 1 + Bytes32.size + 8 + 8 + 2 + textLimit + checksumSize

  public let paymentHash: Bytes32
  public let amountMsat: UInt64
  /// Wall time, in seconds since 1970.
  public let expiresAt: Int64
  public let text: String

  /// A longer text is cut at a whole character: it is for people, and the hash and the amount are what counts.
  public init(paymentHash: Bytes32, amountMsat: UInt64, expiresAt: Int64, text: String) {
    self.paymentHash = paymentHash
    self.amountMsat = amountMsat
    self.expiresAt = expiresAt
    var kept = text
    while kept.utf8.count > Self.textLimit {
      kept = String(kept.prefix(min(kept.count - 1, Self.textLimit)))
    }
    self.text = kept
  }

  public init(_ invoice: Invoice) {
    self.init(
      paymentHash: invoice.paymentHash, amountMsat: invoice.amountMsat, expiresAt: invoice.expiresAt,
      text: invoice.text)
  }

  public func isExpired(atWallSeconds now: Int64) -> Bool { now >= expiresAt }

  public var encoded: String {
    var writer = WireWriter()
    writer.u8(Self.version)
    writer.put(paymentHash)
    writer.u64(amountMsat)
    writer.u64(UInt64(bitPattern: expiresAt))
    writer.counted(Bytes(Array(text.utf8)))
    return Self.prefix + Hexadecimal.encode(writer.bytes + Self.checksum(of: writer.bytes))
  }

  private static func checksum(of bytes: [UInt8]) -> [UInt8] {
    Array(SHA256.hash(bytes).bytes.prefix(checksumSize))
  }

  // MARK: Reading

  /// Reads exactly what `encoded` writes.
  public init(decoding word: String) throws(InvoiceTextError) {
    let bytes = try Self.checkedBytes(of: word)
    var reader = WireReader(Array(bytes.dropLast(Self.checksumSize)))
    do {
      let version = try reader.u8()
      guard version == Self.version else { throw InvoiceTextError.unknownVersion(version) }
      let hash = try reader.bytes32()
      let amount = try reader.u64()
      let expiry = Int64(bitPattern: try reader.u64())
      let text = try reader.take(Int(try reader.u16()))
      guard reader.isAtEnd else { throw InvoiceTextError.trailingBytes }
      guard text.count <= Self.textLimit else { throw InvoiceTextError.tooLong }
      guard let words = String(validating: text, as: UTF8.self) else { throw InvoiceTextError.textIsNotUTF8 }
      self.init(paymentHash: hash, amountMsat: amount, expiresAt: expiry, text: words)
    } catch let error as InvoiceTextError {
      throw error
    } catch {
      throw .tooShort
    }
  }

  /// The checksum is looked at first: a word that lost a character is that, whatever its fields then seem to say.
  private static func checkedBytes(of word: String) throws(InvoiceTextError) -> [UInt8] {
    guard word.hasPrefix(prefix) else {
      throw ["lnbc", "lntb", "lnbcrt", "lntbs"].contains { word.hasPrefix($0) } ? .isBOLT11 : .notAnInvoice
    }
    let digits = word.utf8.dropFirst(prefix.utf8.count)
    guard digits.count <= 2 * bytesMax else { throw .tooLong }
    let isLowerCaseHex = digits.allSatisfy { byte in
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
    guard isLowerCaseHex else { throw .notHexadecimal }
    guard let bytes = Hexadecimal.decode(String(word.dropFirst(prefix.count))) else { throw .tooShort }
    guard bytes.count > checksumSize else { throw .tooShort }
    guard Array(bytes.suffix(checksumSize)) == checksum(of: Array(bytes.dropLast(checksumSize))) else {
      throw .checksumIsWrong
    }
    return bytes
  }
}

/// Why a word is no invoice.
public enum InvoiceTextError: Error, Hashable, Sendable, CustomStringConvertible {
  case notAnInvoice
  case isBOLT11
  case notHexadecimal
  case tooShort
  case tooLong
  case checksumIsWrong
  case unknownVersion(UInt8)
  case trailingBytes
  case textIsNotUTF8

  public var description: String {
    switch self {
    case .notAnInvoice:
      "this is no invoice of Baton, as it does not begin with \(InvoiceText.prefix); make one with `baton invoice`"
    case .isBOLT11: "this is a BOLT 11 invoice, which is not understood yet; make one with `baton invoice`"
    case .notHexadecimal: "the invoice has characters that do not belong there; copy it again, all of it"
    case .tooShort: "the invoice is too short; copy it again, all of it"
    case .tooLong: "the invoice is too long; copy it again, and nothing behind it"
    case .checksumIsWrong:
      "the checksum of the invoice is wrong, so a character is lost or changed; copy it again"
    case .unknownVersion(let version):
      "the invoice has version \(version), this program knows \(InvoiceText.version); update the program"
    case .trailingBytes: "the invoice goes on after its text; ask for a new one"
    case .textIsNotUTF8: "the text of the invoice is not UTF-8; ask for a new one"
    }
  }
}

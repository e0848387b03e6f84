import Crypto

/// An invoice as a string that one person gives to another.
///
/// Not BOLT 11: it carries no signature and no route. `lnbaton1`, then in hexadecimal: version, payment hash,
/// amount, expiry, the length of the text and the text, and the first four bytes of the SHA-256 of all that.
public struct InvoiceText: Hashable, Sendable {
  public var paymentHash: Bytes32
  public var amountMsat: UInt64
  /// Seconds since 1970.
  public var expiresAt: Int64
  public var text: String

  public static let textLimit = 200
  private static let prefix = "lnbaton1"
  private static let version: UInt8 = 1
  private static let checksumSize = 4

  public init(paymentHash: Bytes32, amountMsat: UInt64, expiresAt: Int64, text: String) {
    self.paymentHash = paymentHash
    self.amountMsat = amountMsat
    self.expiresAt = expiresAt
    self.text = text
  }

  public var encoded: String {
    var writer = WireWriter()
    writer.u8(Self.version)
    writer.put(paymentHash)
    writer.u64(amountMsat)
    writer.u64(UInt64(bitPattern: expiresAt))
    writer.counted(Bytes(Array(text.utf8)))
    let checksum = SHA256.hash(writer.bytes).bytes.prefix(Self.checksumSize)
    return Self.prefix + Hexadecimal.encode(writer.bytes + checksum)
  }

  public init(decoding string: String) throws(InvoiceTextError) {
    guard string.utf8.count <= 1024, string.lowercased().hasPrefix(Self.prefix) else { throw .notAnInvoice }
    guard let bytes = Hexadecimal.decode(String(string.dropFirst(Self.prefix.count))),
      bytes.count > Self.checksumSize
    else { throw .damaged }
    let content = Array(bytes.dropLast(Self.checksumSize))
    guard SHA256.hash(content).bytes.prefix(Self.checksumSize) == bytes.suffix(Self.checksumSize)[...] else {
      throw .damaged
    }
    do {
      var reader = WireReader(content)
      guard try reader.u8() == Self.version else { throw InvoiceTextError.otherVersion }
      paymentHash = try reader.bytes32()
      amountMsat = try reader.u64()
      expiresAt = Int64(bitPattern: try reader.u64())
      text = String(decoding: try reader.counted().array, as: UTF8.self)
      guard reader.isAtEnd else { throw InvoiceTextError.damaged }
    } catch let error as InvoiceTextError {
      throw error
    } catch {
      throw .damaged
    }
  }
}

public enum InvoiceTextError: Error, Hashable, Sendable, CustomStringConvertible {
  case notAnInvoice
  case damaged
  case otherVersion

  public var description: String {
    switch self {
    case .notAnInvoice: "This is not an invoice of this wallet: it must begin with lnbaton1."
    case .damaged: "The invoice is incomplete or was changed on its way: copy it again as a whole."
    case .otherVersion: "The invoice was made by a newer program: update this one."
    }
  }
}

// LightningInvoices: BOLT 11 invoices, read and written, not stored.

import Ground
import Crypto

/// A BOLT 11 invoice: its text, its fields, and its payee. Every value has a valid checksum, a valid signature, and
/// all fields that a payer needs.
public struct SignedInvoice: Hashable, Sendable {
  public let fields: InvoiceFields
  /// The node that has signed the invoice and is paid.
  public let payee: PublicKey
  public let signature: RecoverableSignature
  /// In lower case.
  public let encoded: String

  private static let signatureWords = (RecoverableSignature.compactSize + 1) * 8 / 5
  private static let timestampWords = 7
  private static let beginning = "ln"
  /// The longest part of an unknown network's name in a message.
  private static let nameMax = 8

  public var paymentHash: Bytes32 { fields.paymentHash }
  public var amountMsat: UInt64? { fields.amountMsat }

  // MARK: Writing

  public init(_ fields: InvoiceFields, signedBy key: PrivateKey) throws(InvoiceError) {
    guard fields.payee == nil || fields.payee == key.publicKey else { throw .payeeIsAnother }
    guard fields.amountMsat != 0 else { throw .amountIsMalformed }
    try fields.features.checkInInvoice()
    let amount = fields.amountMsat.map { InvoiceAmount.write(msat: $0) } ?? ""
    let prefix = Self.beginning + fields.network.prefix + amount
    var writer = BitWriter()
    writer.put(try InvoiceFieldWriter.words(of: fields))
    signature = key.sign(Self.digest(prefix, writer.words))
    writer.bytes(signature.compact + [signature.recovery])
    self.fields = fields
    payee = key.publicKey
    encoded = Bech32.encode(prefix: prefix, words: writer.words)
  }

  private static func digest(_ prefix: String, _ words: some Sequence<UInt8>) -> Bytes32 {
    SHA256.hash(Array(prefix.utf8) + Bech32.paddedBytes(of: words))
  }

  // MARK: Reading

  public init(decoding word: String) throws(InvoiceError) {
    guard word.utf8.prefix(2).map({ $0 | 0x20 }) == Array(Self.beginning.utf8) else { throw .notAnInvoice }
    let (prefix, words) = try Self.parts(of: word)
    let (network, amountMsat) = try Self.readPrefix(prefix)
    guard words.count >= Self.timestampWords + Self.signatureWords else { throw .tooShort }
    let data = words.dropLast(Self.signatureWords)
    let signed = Bech32.bytes(of: words.suffix(Self.signatureWords))
    guard let recovery = signed.last,
      let signature = RecoverableSignature(Array(signed.dropLast()), recovery: recovery)
    else { throw .signerIsUnknown }
    let fields = try InvoiceFieldReader.fields(in: data, on: network, amountMsat: amountMsat)
    let digest = Self.digest(prefix, data)
    if let named = fields.payee {
      guard signature.isValid(for: digest, by: named) else { throw .signatureIsWrong }
      payee = named
    } else {
      guard let signer = signature.signer(of: digest) else { throw .signerIsUnknown }
      payee = signer
    }
    self.fields = fields
    self.signature = signature
    encoded = Self.lowercased(word)
  }

  private static func parts(of word: String) throws(InvoiceError) -> (prefix: String, words: [UInt8]) {
    do throws(Bech32Error) {
      let (prefix, words, variant) = try Bech32.decode(word)
      guard variant == .bech32 else { throw .checksumIsWrong }
      return (prefix, words)
    } catch { throw InvoiceError(error) }
  }

  private static func readPrefix(
    _ prefix: String
  ) throws(InvoiceError) -> (network: BitcoinNetwork, amountMsat: UInt64?) {
    let behind = prefix.dropFirst(beginning.count)
    let name = behind.prefix { !("0"..."9").contains($0) }
    guard let network = BitcoinNetwork.allCases.first(where: { $0.prefix == name }) else {
      throw .unknownNetwork(beginning + name.prefix(nameMax))
    }
    let amount = behind.dropFirst(name.count)
    return (network, amount.isEmpty ? nil : try InvoiceAmount.read(amount))
  }

  /// The text is ASCII, as it was decoded.
  private static func lowercased(_ word: String) -> String {
    String(
      decoding: word.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 },
      as: UTF8.self)
  }
}

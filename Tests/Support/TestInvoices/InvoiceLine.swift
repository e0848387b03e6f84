import Ground
import Crypto
import Lightning

/// An invoice as one line of JSON. A line with `word` asks for the fields, one with `key` for the word.
struct InvoiceLine: Codable {
  struct Hop: Codable {
    var node: String
    var channel: String
    var baseFeeMsat: UInt32
    var feeMillionths: UInt32
    var expiryDelta: UInt16
  }

  struct Fallback: Codable {
    var version: UInt8
    var program: String
  }

  struct Unreadable: Error, CustomStringConvertible {
    var description: String
  }

  var error: String?
  var word: String?
  var key: String?
  var network: String?
  var amountMsat: UInt64?
  var timestamp: UInt64?
  var paymentHash: String?
  var paymentSecret: String?
  var text: String?
  var textHash: String?
  var expirySeconds: UInt64?
  var finalExpiryDelta: UInt64?
  var metadata: String?
  /// The payee, whether the invoice names it or not.
  var payee: String?
  var namesPayee: Bool?
  var fallbacks: [Fallback]?
  var routeHints: [[Hop]]?
  var features: [Int]?
  /// r, s and the recovery id.
  var signature: String?

  func answer() throws -> InvoiceLine {
    if let word { return InvoiceLine(try SignedInvoice(decoding: word)) }
    guard let key = key.flatMap({ Bytes32(hex: $0) }).flatMap({ PrivateKey($0) }) else {
      throw Unreadable(description: "a line has neither a word nor a key")
    }
    return InvoiceLine(word: try SignedInvoice(try fields(signer: key.publicKey), signedBy: key).encoded)
  }
}

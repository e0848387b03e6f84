import Crypto

/// A sender's question over HTTP: would another attempt at this payment arrive?
public struct HintQuestion: Hashable, Sendable {
  public static let path = "/lsp/forwarding_hint"
  /// A question has some 140 bytes.
  public static let targetBytesMax = 1024
  /// What an amount in the ledger can be.
  public static let amountMsatMax = UInt64(Int64.max)

  public let recipient: PublicKey
  public let amountMsat: UInt64

  public init(recipient: PublicKey, amountMsat: UInt64) {
    self.recipient = recipient
    self.amountMsat = amountMsat
  }

  public init(method: String, target: String) throws(HintRefusal) {
    guard target.utf8.count <= Self.targetBytesMax else { throw .targetTooLong }
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts[0] == Self.path else { throw .otherPath }
    guard method == "GET" else { throw .otherMethod }
    self = try Self.read(query: parts.count > 1 ? parts[1] : "")
  }

  private static func read(query: Substring) throws(HintRefusal) -> HintQuestion {
    var given: [(HintParameter, Substring)] = []
    for part in query.split(separator: "&") {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let parameter = HintParameter(rawValue: String(sides[0])) else { throw .unknownParameter }
      guard !given.contains(where: { $0.0 == parameter }) else { throw .repeated(parameter) }
      given.append((parameter, sides.count > 1 ? sides[1] : ""))
    }
    func value(_ parameter: HintParameter) throws(HintRefusal) -> String {
      guard let found = given.first(where: { $0.0 == parameter }) else { throw .missing(parameter) }
      return String(found.1)
    }
    let recipientText = try value(.recipient)
    let amountText = try value(.amountMsat)
    guard let recipient = PublicKey(hex: recipientText) else { throw .badRecipient }
    let isOfDigits = !amountText.isEmpty && amountText.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
    guard isOfDigits, let amountMsat = UInt64(amountText), amountMsat > 0, amountMsat <= amountMsatMax
    else { throw .badAmount }
    return HintQuestion(recipient: recipient, amountMsat: amountMsat)
  }
}

/// A parameter of the question.
public enum HintParameter: String, Hashable, Sendable, CaseIterable {
  case recipient = "recipient"
  case amountMsat = "amount_msat"
}

/// Why a request is no question, with the status of HTTP. No sentence repeats the request.
public struct HintRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  public let status: Int
  public let description: String

  private init(_ description: String, status: Int = 400) {
    self.status = status
    self.description = description
  }

  public static let noToken = Self(
    "the token is missing; send that of `lsp/http-token` as `Authorization: Bearer TOKEN`", status: 401)
  public static let targetTooLong = Self(
    "the URL has more than \(HintQuestion.targetBytesMax) bytes; send `recipient` and `amount_msat` alone",
    status: 414)
  public static let otherPath = Self("there is nothing at this path; ask \(HintQuestion.path)", status: 404)
  public static let otherMethod = Self("\(HintQuestion.path) is only read; use GET", status: 405)
  public static let unknownParameter = Self(
    "the query has a parameter that is not known; send `recipient` and `amount_msat` alone")
  public static func missing(_ parameter: HintParameter) -> Self {
    Self("the query has no `\(parameter.rawValue)`; send it once")
  }
  public static func repeated(_ parameter: HintParameter) -> Self {
    Self("the query has `\(parameter.rawValue)` twice; send it once")
  }
  public static let badRecipient = Self(
    "`recipient` is no node id; send the 66 hexadecimal digits of a point of secp256k1")
  public static let badAmount = Self(
    "`amount_msat` is not a whole number from 1 to \(HintQuestion.amountMsatMax)")
}

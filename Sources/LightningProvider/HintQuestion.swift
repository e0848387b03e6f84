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
public enum HintRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  case noToken
  case targetTooLong
  case otherPath
  case otherMethod
  case unknownParameter
  case missing(HintParameter)
  case repeated(HintParameter)
  case badRecipient
  case badAmount

  public var status: Int {
    switch self {
    case .noToken: 401
    case .targetTooLong: 414
    case .otherPath: 404
    case .otherMethod: 405
    case .unknownParameter, .missing, .repeated, .badRecipient, .badAmount: 400
    }
  }

  public var description: String {
    switch self {
    case .noToken: "the token is missing; send that of `lsp/http-token` as `Authorization: Bearer TOKEN`"
    case .targetTooLong:
      "the URL has more than \(HintQuestion.targetBytesMax) bytes; send `recipient` and `amount_msat` alone"
    case .otherPath: "there is nothing at this path; ask \(HintQuestion.path)"
    case .otherMethod: "\(HintQuestion.path) is only read; use GET"
    case .unknownParameter:
      "the query has a parameter that is not known; send `recipient` and `amount_msat` alone"
    case .missing(let parameter): "the query has no `\(parameter.rawValue)`; send it once"
    case .repeated(let parameter): "the query has `\(parameter.rawValue)` twice; send it once"
    case .badRecipient: "`recipient` is no node id; send the 66 hexadecimal digits of a point of secp256k1"
    case .badAmount: "`amount_msat` is not a whole number from 1 to \(HintQuestion.amountMsatMax)"
    }
  }
}

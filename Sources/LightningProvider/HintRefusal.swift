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

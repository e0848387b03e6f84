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

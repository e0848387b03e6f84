// Lightning/Hint: what an LSP says about another attempt at a payment, as a document of
// `GET /lsp/forwarding_hint`. Pure. Who writes it and who reads it share this type and nothing else.

import Ground

/// Whether a sender shall try again, why the last attempt failed, and how long to wait.
public struct ForwardingHint: Hashable, Codable, Sendable {
  public enum Advice: String, Hashable, Codable, Sendable, CaseIterable {
    case retryNow = "retry_now"
    case retryLater = "retry_later"
    case doNotRetry = "do_not_retry"
  }

  public enum Reason: String, Hashable, Codable, Sendable, CaseIterable {
    /// The recipient is not connected to the LSP.
    case disconnected
    /// The LSP's side of the channel has less than the amount.
    case insufficientLiquidity = "insufficient_liquidity"
    case recipientChannelDisabled = "recipient_channel_disabled"
    case unknown
  }

  public var hint: Advice
  public var reason: Reason
  /// Nil leaves the delay to the sender.
  public var recommendedDelayMs: UInt64?

  public init(_ hint: Advice, _ reason: Reason, recommendedDelayMs: UInt64? = nil) {
    self.hint = hint
    self.reason = reason
    self.recommendedDelayMs = recommendedDelayMs
  }

  // MARK: JSON

  /// Unknown members are ignored. A reader trusts nothing here but the form: a delay may have any length.
  public init(reading value: JSONValue) throws(ForwardingHintError) {
    guard value.isObject else { throw .noObject }
    hint = try Self.word("hint", in: value)
    reason = try Self.word("reason", in: value)
    if let delay = value[Self.delayName] {
      guard let milliseconds = delay.uint else { throw .badDelay }
      recommendedDelayMs = milliseconds
    }
  }

  public init(parsing bytes: [UInt8]) throws(ForwardingHintError) {
    guard let value = JSONValue(parsing: bytes) else { throw .noJSON }
    try self.init(reading: value)
  }

  private static let delayName = "recommended_delay_ms"

  private static func word<Word: RawRepresentable<String>>(
    _ name: String, in value: JSONValue
  ) throws(ForwardingHintError) -> Word {
    guard let member = value[name] else { throw .missing(name) }
    guard let text = member.text, let word = Word(rawValue: text) else { throw .unknownWord(name) }
    return word
  }

  public var value: JSONValue {
    [
      "hint": .string(hint.rawValue), "reason": .string(reason.rawValue),
      Self.delayName: recommendedDelayMs.map { .number("\($0)") },
    ]
  }
}

/// Why a document is no forwarding hint.
public enum ForwardingHintError: Error, Hashable, Codable, Sendable, CustomStringConvertible {
  case noJSON
  case noObject
  case missing(String)
  /// The member is no text, or a word that is not known here.
  case unknownWord(String)
  /// Not a whole number of milliseconds from 0 to 2^64-1.
  case badDelay

  public var description: String {
    switch self {
    case .noJSON: "the forwarding hint is not valid JSON"
    case .noObject: "the forwarding hint is not a JSON object"
    case .missing(let name): "the forwarding hint has no member `\(name)`"
    case .unknownWord(let name): "the forwarding hint has an unknown `\(name)`"
    case .badDelay: "the forwarding hint's `recommended_delay_ms` is not a whole number of milliseconds"
    }
  }
}

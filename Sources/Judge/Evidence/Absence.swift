/// Missing evidence that other evidence shows must have existed.
public struct Absence: Hashable, Codable, Sendable {
  /// As in `Verdict.judged`: `peer's ledger`, `phone`, `journals of mainappd`.
  public let part: String
  /// What is missing.
  public let sentence: String
  /// What to do about it.
  public let advice: String

  public init(part: String, sentence: String, advice: String) {
    self.part = part
    self.sentence = sentence
    self.advice = advice
  }
}

/// A kind of evidence that the user can waive: the user's own programs keep no journals, a pair started by hand has
/// no phone, another peer has no ledger.
public enum EvidencePart: String, Hashable, Codable, Sendable, CaseIterable {
  case peer
  case phone
  case journals
  /// Another container in which the wallet has lived.
  case other
}

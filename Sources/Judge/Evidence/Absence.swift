/// Evidence that should be there, as other evidence shows, and is not. Nothing is said of what it would have told.
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

/// A kind of evidence that a user may know to be missing: programs of their own keep no journals, a pair that was
/// started by hand has no phone, another peer has no ledger.
public enum EvidencePart: String, Hashable, Codable, Sendable, CaseIterable {
  case peer
  case phone
  case journals
  /// Another container in which the wallet has lived.
  case other
}

/// Missing evidence that other evidence shows must have existed.
public struct Absence: Hashable, Sendable {
  public let part: EvidenceName
  /// What is missing.
  public let sentence: String
  /// What to do about it.
  public let advice: String
  /// Of a part that is there: it cannot be waived.
  public let isDamage: Bool

  public init(_ part: EvidenceName, _ sentence: String, advice: String, isDamage: Bool = false) {
    self.part = part
    self.sentence = sentence
    self.advice = advice
    self.isDamage = isDamage
  }
}

/// The parts of the evidence, by the names that a verdict shows.
public enum EvidenceName: String, Hashable, Sendable, CaseIterable {
  case container
  case otherContainer = "other container"
  case ledger = "peer's ledger"
  case phone
  case appJournals = "journals of mainappd"
  case extensionJournals = "journals of notifyextd"
  case tellingJournals = "journals of notifyonlyd"
  case peerJournals = "journals of lspd"
  case phoneJournals = "journals of iosd"
  case journals
  case oneMoment = "one moment"

  static func journals(of process: String) -> EvidenceName {
    switch process {
    case "mainappd": .appJournals
    case "notifyextd": .extensionJournals
    case Evidence.tellingExtension: .tellingJournals
    case "lspd": .peerJournals
    case "iosd": .phoneJournals
    default: .journals
    }
  }

  /// Nil: without it there is no verdict.
  var kind: EvidencePart? {
    switch self {
    case .container, .oneMoment: nil
    case .otherContainer: .other
    case .ledger: .peer
    case .phone: .phone
    case .appJournals, .extensionJournals, .tellingJournals, .peerJournals, .phoneJournals, .journals:
      .journals
    }
  }
}

/// Evidence that the user can waive: the user's own programs keep no journals, a pair started by hand has no phone,
/// another peer has no ledger.
public enum EvidencePart: String, Hashable, Sendable, CaseIterable {
  case peer
  case phone
  case journals
  /// Another container in which the wallet has lived.
  case other
}

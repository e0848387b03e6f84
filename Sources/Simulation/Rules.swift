/// A rule of the coordination that can be removed from a simulated world, to see what breaks. The cores stay
/// unchanged: the world around them answers as if the rule did not exist.
public enum Rule: UInt32, Hashable, Sendable, CaseIterable {
  case lock, fencedWrites, stateFromClaim, initCheck, compareAndSet, incarnation, earlyBeat, rowBeforeBeat
  case intentAsState, inodeCheck, claimBeforeDialling, peerFencing, evictAfterFence, releaseOrder, ownPause
  case veto, completeSet

  /// As an option names it, such as `fenced-writes`.
  public var name: String { "\(self)".hyphenated }

  public init?(named name: String) {
    guard let rule = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = rule
  }

  public var sentence: String {
    switch self {
    case .lock: "A role lock tells at once whether its holder lives."
    case .fencedWrites: "Each write checks the claim row in its own transaction."
    case .stateFromClaim: "The node starts from the channel state read with its claim, not from memory."
    case .initCheck:
      "The claim row and the channel state are read again after the peer's channel_reestablish."
    case .compareAndSet: "A claim succeeds only if the epoch is still the one read before."
    case .incarnation: "Two claims of one epoch number differ by a random incarnation."
    case .earlyBeat: "Beats begin with the claim, not with the connection."
    case .rowBeforeBeat: "Each beat reads the claim row first."
    case .intentAsState: "The app's intent is a lock that can be read, not only a message."
    case .inodeCheck: "A replaced lock file is locked again with the next beat."
    case .claimBeforeDialling: "The epoch is claimed before the node dials."
    case .peerFencing: "The peer refuses the owner of an older epoch."
    case .evictAfterFence: "A new connection replaces an older one only once the peer has accepted its epoch."
    case .releaseOrder: "The lock is released after the connection is closed."
    case .veto: "While one process has the node, no votes let the other connect."
    case .completeSet: "A preimage is sent only when all parts of its payment have arrived."
    case .ownPause: "Time in which the waiting process was stopped does not count as the holder's silence."
    }
  }
}

/// Some of the rules.
public struct Rules: Hashable, Sendable {
  private var bits: UInt32 = 0

  public init(_ rules: [Rule] = []) { for rule in rules { insert(rule) } }

  public mutating func insert(_ rule: Rule) { bits |= 1 << rule.rawValue }

  public func contains(_ rule: Rule) -> Bool { bits & 1 << rule.rawValue != 0 }

  public var list: [Rule] { Rule.allCases.filter(contains) }
}

extension String {
  /// `fencedWrites` as `fenced-writes`.
  var hyphenated: String {
    reduce(into: "") { words, letter in words += letter.isUppercase ? "-\(letter.lowercased())" : "\(letter)"
    }
  }
}

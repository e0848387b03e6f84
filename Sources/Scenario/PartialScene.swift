// A payment in parts, as its sender sees it: each part is a request of its own, and together they are one payment.
extension Scene.Payment {
  /// The first of so many parts.
  public init(number: Int, state: State, of parts: Int) {
    self.init(number: number, state: state)
    missingParts = parts - 1
  }

  /// With the next part of it.
  public mutating func add(_ part: State) {
    missingParts = max(0, missingParts - 1)
    state = Self.together(state, part)
  }

  /// Settled when all parts are; failed as soon as one is.
  private static func together(_ one: State, _ other: State) -> State {
    for state in [one, other] { if case .failed = state { return state } }
    if one == .waits || other == .waits { return .waits }
    return one == .settled && other == .settled ? .settled : .underWay
  }
}

// A multi-part payment as its sender sees it: each part is a request of its own.
extension Scene.Payment {
  /// The first of `parts` parts.
  public init(number: Int, state: State, of parts: Int) {
    self.init(number: number, state: state)
    missingParts = parts - 1
  }

  /// Adds the next part.
  public mutating func add(_ part: State) {
    missingParts = max(0, missingParts - 1)
    state = Self.together(state, part)
  }

  /// Settled if all parts are; failed as soon as one is.
  private static func together(_ one: State, _ other: State) -> State {
    for state in [one, other] { if case .failed = state { return state } }
    if one == .waits || other == .waits { return .waits }
    return one == .settled && other == .settled ? .settled : .underWay
  }
}

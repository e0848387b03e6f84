import Ground

// For a simulation that takes the rule of one's own pause away, to see what it is for.
extension Ownership {
  mutating func ignorePause(at now: Instant) {
    switch state {
    case .looking(var looking):
      looking.rule.monitor.ignorePause(at: now)
      state = .looking(looking)
    case .claiming(var looking):
      looking.claimAskedAt = now
      state = .claiming(looking)
    case .idle, .owning, .releasing, .closing: break
    }
  }
}

extension AppMachine {
  package mutating func ignorePause(at now: Instant) { ownership.ignorePause(at: now) }
}

extension ExtensionMachine {
  package mutating func ignorePause(at now: Instant) { ownership.ignorePause(at: now) }
}

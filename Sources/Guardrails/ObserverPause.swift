import Ground

// For a simulation without the rule about the observer's own pause, to show what the rule prevents.
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

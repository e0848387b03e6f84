import Ground

// A claim, or a raise of the epoch, that failed.
extension Ownership {
  mutating func claimFailed(_ trouble: Trouble, at now: Instant) -> [GuardDirective] {
    switch state {
    case .claiming(let looking): return lookAgain(looking, after: retry(trouble), trouble: trouble, at: now)
    // The peer refuses the epoch that we own.
    case .owning(let owning) where owning.node == .raising:
      failedRaise = FailedRaise(trouble: trouble, looksAgainAt: now + retry(trouble))
      return close(owning)
    case .closing(let owning) where owning.node == .raising: return close(owning)
    case .idle, .looking, .owning, .releasing, .closing: return []
    }
  }

  mutating func claimSuperseded(at now: Instant) -> [GuardDirective] {
    switch state {
    case .claiming(let looking): return lookAgain(looking, after: .zero, trouble: nil, at: now)
    case .owning(let owning) where owning.node == .raising: return fenced()
    case .closing(let owning) where owning.node == .raising: return fenced()
    case .idle, .looking, .owning, .releasing, .closing: return []
    }
  }

  func retry(_ trouble: Trouble) -> TimeSpan {
    if case .blocked = trouble { Self.blockedRetry } else { Self.troubleRetry }
  }

  /// The other process may hold our lock for an instant while probing it, so the claim is first repeated quickly; if
  /// another process of our own role still holds the lock, retry at the normal interval.
  mutating func ownLockWasBusy(at now: Instant) -> [GuardDirective] {
    switch state {
    case .claiming(var looking):
      looking.ownLockRefusals += 1
      let isQuick = looking.ownLockRefusals <= Self.ownLockQuickRetries
      return lookAgain(looking, after: isQuick ? Self.ownLockRetry : lookInterval, trouble: nil, at: now)
    case .owning(let owning) where owning.node == .raising,
      .closing(let owning) where owning.node == .raising:
      return close(owning)
    case .idle, .looking, .owning, .releasing, .closing: return []
    }
  }

  mutating func beginLooking(at now: Instant) -> [GuardDirective] {
    var looking = newLook(at: now)
    if let failed = failedRaise, failed.looksAgainAt > now {
      looking.isLooking = false
      looking.nextLook = failed.looksAgainAt
      looking.trouble = failed.trouble
    }
    failedRaise = nil
    state = .looking(looking)
    return looking.isLooking ? [.look] : []
  }
}

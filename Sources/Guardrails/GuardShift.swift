import Ground

// For the simulation: shifts a guard's instants, renumbers its beats, and removes the rule about the observer's own
// pause.
extension AppMachine: Shiftable {
  package mutating func shift(by span: TimeSpan) {
    ownership.shift(by: span)
    askAt.shift(by: span)
    tasks.shift(by: span)
    silentPush.shift(by: span)
  }
}

extension ExtensionMachine: Shiftable {
  package mutating func shift(by span: TimeSpan) {
    ownership.shift(by: span)
    queue.shift(by: span)
    for index in unserved.indices { unserved[index].shift(by: span) }
    switch state {
    case .serving(var service):
      service.shift(by: span)
      state = .serving(service)
    case .releasing(var releasing):
      releasing.service.shift(by: span)
      releasing.deliverBy.shift(by: span)
      state = .releasing(releasing)
    case .waiting, .finishing, .ended: break
    }
  }
}

extension TellingExtensionMachine: Shiftable {
  package mutating func shift(by span: TimeSpan) {
    for index in storing.indices {
      storing[index].deliverBy.shift(by: span)
      storing[index].triesAgainAt.shift(by: span)
    }
  }
}

extension Service: Shiftable {
  mutating func shift(by span: TimeSpan) {
    totalEnds.shift(by: span)
    idleEnds.shift(by: span)
    asksAgainAt.shift(by: span)
    ending?.answerBy.shift(by: span)
  }
}

extension PushQueue: Shiftable {
  mutating func shift(by span: TimeSpan) {
    for index in entries.indices { entries[index].arrivedAt.shift(by: span) }
  }
}

extension Ownership: Shiftable {
  package mutating func shift(by span: TimeSpan) {
    movesHereUntil.shift(by: span)
    failedRaise?.looksAgainAt.shift(by: span)
    change({ $0.shift(by: span) }, { $0.schedule.shift(by: span) })
    if case .releasing(let owning, let nodeStopsBy) = state {
      state = .releasing(owning, nodeStopsBy: nodeStopsBy.shifted(by: span))
    }
  }

  /// The counter of our last beat under this epoch.
  package func beatCounter(ofEpoch epoch: Epoch) -> UInt64? {
    switch state {
    case .owning(let owning), .releasing(let owning, _), .closing(let owning):
      owning.claim.epoch == epoch ? owning.schedule.counter : nil
    case .idle, .looking, .claiming: nil
    }
  }

  package mutating func renumberBeats(ofEpoch epoch: Epoch, _ number: (UInt64) -> UInt64) {
    change({ $0.rule.monitor.renumber(ofEpoch: epoch, number) }) { owning in
      // No process reads the beats of a lost epoch.
      let isLost = owning.claim.epoch != epoch
      owning.schedule.renumber { isLost ? 0 : number($0) }
    }
  }

  package mutating func ignorePause(at now: Instant) {
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

  private mutating func change(_ look: (inout Looking) -> Void, _ own: (inout Owning) -> Void) {
    switch state {
    case .idle: break
    case .looking(var looking):
      look(&looking)
      state = .looking(looking)
    case .claiming(var looking):
      look(&looking)
      state = .claiming(looking)
    case .owning(var owning):
      own(&owning)
      state = .owning(owning)
    case .releasing(var owning, let nodeStopsBy):
      own(&owning)
      state = .releasing(owning, nodeStopsBy: nodeStopsBy)
    case .closing(var owning):
      own(&owning)
      state = .closing(owning)
    }
  }
}

extension Ownership.Looking: Shiftable {
  mutating func shift(by span: TimeSpan) {
    rule.shift(by: span)
    nextLook.shift(by: span)
    claimAskedAt.shift(by: span)
  }
}

extension ClaimRule: Shiftable {
  package mutating func shift(by span: TimeSpan) {
    monitor.shift(by: span)
    appHeadStartEnds.shift(by: span)
  }
}

import Ground

// Shifts a guard's instants, and renumbers its beats.
extension AppMachine: Shiftable {
  package mutating func shift(by span: TimeSpan) {
    ownership.shift(by: span)
    askAt.shift(by: span)
    tasks.shift(by: span)
    silentPush.shift(by: span)
  }

  package func beatCounter(ofEpoch epoch: Epoch) -> UInt64? { ownership.beatCounter(ofEpoch: epoch) }

  package mutating func renumberBeats(ofEpoch epoch: Epoch, _ number: (UInt64) -> UInt64) {
    ownership.renumberBeats(ofEpoch: epoch, number)
  }
}

extension ExtensionMachine: Shiftable {
  package mutating func shift(by span: TimeSpan) {
    ownership.shift(by: span)
    queue.shift(by: span)
    for index in unserved.indices { unserved[index].shift(by: span) }
    if case .serving(var service) = state {
      service.shift(by: span)
      state = .serving(service)
    }
    if case .releasing(var releasing) = state {
      releasing.service.shift(by: span)
      releasing.deliverBy.shift(by: span)
      state = .releasing(releasing)
    }
  }

  package func beatCounter(ofEpoch epoch: Epoch) -> UInt64? { ownership.beatCounter(ofEpoch: epoch) }

  package mutating func renumberBeats(ofEpoch epoch: Epoch, _ number: (UInt64) -> UInt64) {
    ownership.renumberBeats(ofEpoch: epoch, number)
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
    switch state {
    case .looking(var looking):
      looking.shift(by: span)
      state = .looking(looking)
    case .claiming(var looking):
      looking.shift(by: span)
      state = .claiming(looking)
    case .releasing(var owning, var nodeStopsBy):
      owning.schedule.shift(by: span)
      nodeStopsBy.shift(by: span)
      state = .releasing(owning, nodeStopsBy: nodeStopsBy)
    case .owning, .closing: changeOwning { $0.schedule.shift(by: span) }
    case .idle: break
    }
  }

  /// The counter of our last beat under this epoch.
  func beatCounter(ofEpoch epoch: Epoch) -> UInt64? {
    switch state {
    case .owning(let owning), .releasing(let owning, _), .closing(let owning):
      owning.claim.epoch == epoch ? owning.schedule.counter : nil
    case .idle, .looking, .claiming: nil
    }
  }

  mutating func renumberBeats(ofEpoch epoch: Epoch, _ number: (UInt64) -> UInt64) {
    // No process reads the beats of a lost epoch.
    changeOwning { owning in
      let isLost = owning.claim.epoch != epoch
      owning.schedule.renumber { isLost ? 0 : number($0) }
    }
    switch state {
    case .looking(var looking):
      looking.rule.monitor.renumber(ofEpoch: epoch, number)
      state = .looking(looking)
    case .claiming(var looking):
      looking.rule.monitor.renumber(ofEpoch: epoch, number)
      state = .claiming(looking)
    case .idle, .owning, .releasing, .closing: break
    }
  }

  private mutating func changeOwning(_ body: (inout Owning) -> Void) {
    switch state {
    case .owning(var owning):
      body(&owning)
      state = .owning(owning)
    case .releasing(var owning, let nodeStopsBy):
      body(&owning)
      state = .releasing(owning, nodeStopsBy: nodeStopsBy)
    case .closing(var owning):
      body(&owning)
      state = .closing(owning)
    case .idle, .looking, .claiming: break
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

import Ground
import Platform
import Guardrails

extension SharedContainer {
  /// Claims the node by compare-and-set against the epoch that was seen (0 for none), and reads its state in the same
  /// durable transaction. Takes the own role lock first, and drops it at once if the claim fails, unless it was held
  /// before.
  public func claim<State>(
    seen: Epoch, by claimant: Claimant, reading: (NodeReader) throws -> State
  ) -> ClaimResult<State> {
    withOwnLock {
      claimLocked(by: claimant, reading: reading) { row in
        let highest = row?.epoch ?? 0
        guard highest == seen else { return .superseded(row) }
        guard highest < Epoch(Int64.max) else { return .failed(.epochsExhausted(path: layout.database)) }
        return .claim(highest + 1)
      }
    }
  }

  /// Raises the own claim above an epoch that the peer knows and this database does not: an old copy of it was
  /// restored. Only while the row is this claim's own, and no farther than `Claim.mayRaise` allows.
  public func raiseEpoch<State>(
    under claim: Claim, above known: Epoch, by claimant: Claimant, reading: (NodeReader) throws -> State
  ) -> ClaimResult<State> {
    withOwnLock {
      claimLocked(by: claimant, reading: reading) { row in
        guard claim.owns(row), row?.container == claim.container else { return .superseded(row) }
        guard claim.mayRaise(above: known) else {
          return .failed(.epochJumpRefused(from: claim.epoch, above: known))
        }
        return .claim(known + 1)
      }
    }
  }

  /// Drops the role lock: the last step of a release.
  public func releaseRoleLock() { roleLock.drop() }

  private enum Verdict {
    case claim(Epoch)
    case superseded(ClaimRow?)
    case failed(ContainerError)
  }

  private func withOwnLock<State>(_ body: () -> ClaimResult<State>) -> ClaimResult<State> {
    // Checked before the lock too: if the directory was replaced, the lock would be another container's.
    do {
      try checkIdentity()
    } catch {
      rescueLog()
      return .failed(error)
    }
    let wasHeld = roleLock.stillGuards
    switch roleLock.tryTake() {
    case .taken: break
    case .busy: return .ownLockBusy
    case .damaged(let error): return .failed(error)
    }
    let result = body()
    if case .claimed = result {
      isUnsettled = true
      return result
    }
    // A lock without a claim would make the row's earlier holder of this role look alive.
    if !wasHeld { roleLock.drop() }
    return result
  }

  private func claimLocked<State>(
    by claimant: Claimant, reading: (NodeReader) throws -> State, verdict: (ClaimRow?) -> Verdict
  ) -> ClaimResult<State> {
    do {
      return try connection.transaction(.immediate) {
        try checkIdentity()
        let claims = ClaimTable(connection: connection)
        let row = try claims.highestRow()
        switch verdict(row) {
        case .superseded(let row): return .superseded(row)
        case .failed(let error): return .failed(error)
        case .claim(let epoch):
          let claim = Claim(epoch: epoch, incarnation: claimant.incarnation, container: id)
          try claims.insert(claim, role: role, by: claimant, seen: row?.epoch ?? 0)
          let reader = NodeReader(connection)
          defer { reader.end() }
          return .claimed(claim, try reading(reader))
        }
      }
    } catch {
      switch obstacle(error) {
      case .blocked(let holder): return .blocked(holder)
      case .failed(let error): return .failed(error)
      }
    }
  }

  enum Obstacle {
    case blocked(BlockedBy?)
    case failed(ContainerError)
  }

  /// Busy is not an error: another process is inside a transaction, named if the kernel's list shows it.
  func obstacle(_ error: any Error) -> Obstacle {
    let translated = ContainerError(error, path: layout.database)
    if translated.isLossOfTheContainer { rescueLog() }
    if case .blocked = translated { return .blocked(BlockedBy.find(in: layout)) }
    return .failed(translated)
  }
}

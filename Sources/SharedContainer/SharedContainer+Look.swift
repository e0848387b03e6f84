import Ground
import Platform
import Guardrails

extension SharedContainer {
  /// The row of the highest epoch: one prepared query, no write lock. Read before each beat.
  public func readRow() -> RowResult {
    do {
      try checkIdentity()
      return .row(try ClaimTable(connection: connection).highestRow())
    } catch {
      switch obstacle(error) {
      case .blocked(let holder): return .blocked(holder)
      case .failed(let error): return .failed(error)
      }
    }
  }

  /// Reads the row and node state in one transaction, as after the peer's `init`.
  public func read<Value>(_ body: (ClaimRow?, NodeReader) throws -> Value) -> ReadResult<Value> {
    do {
      try checkIdentity()
      return try connection.transaction(.deferred) {
        try checkIdentity()
        let row = try ClaimTable(connection: connection).highestRow()
        let reader = NodeReader(connection)
        defer { reader.end() }
        return .read(try body(row, reader))
      }
    } catch {
      switch obstacle(error) {
      case .blocked(let holder): return .blocked(holder)
      case .failed(let error): return .failed(error)
      }
    }
  }

  /// Everything that the claim rule needs. Boot and clock are the caller's.
  ///
  /// The row is read again at the end: if the owner changed in between, the lock would be of one and the beat of
  /// another. That costs only time, as a claim compares the row's epoch; so there are two retries.
  public func look(boot: BootID, bootClock: Instant) -> LookResult {
    var observation = Observation(
      row: nil, holderLockIsBusy: false, beat: nil, appWantsNode: false, boot: boot, bootClock: bootClock)
    for _ in 0..<3 {
      switch readRow() {
      case .blocked(let holder): return .blocked(holder)
      case .failed(let error): return .failed(error)
      case .row(let row): observation.row = row
      }
      observation.holderLockIsBusy = observation.row.map { isLockBusy(of: $0.role) } ?? false
      observation.beat = observation.row.flatMap { heartbeatFile.read($0.role) }
      observation.appWantsNode = appWantsNode
      if readRow() == .row(observation.row) { break }
    }
    return .seen(observation)
  }

  /// No process has ever claimed this container's node.
  public var isNew: Bool { readRow() == .row(nil) }

  /// Frees what SQLite's cache does not need; in bytes.
  public func releaseMemory() -> UInt64 { connection.releaseMemory() }

  /// Whether a live app holds the intent lock.
  public var appWantsNode: Bool { intentLock.probe() == .busy }

  /// Whether any process holds the lock of a role. A missing or damaged file proves no death, so it counts as busy:
  /// the beats then decide, which costs seconds; counting it as free could displace a healthy owner.
  private func isLockBusy(of role: Role) -> Bool {
    (role == self.role ? roleLock : otherRoleLock).probe() != .free
  }
}

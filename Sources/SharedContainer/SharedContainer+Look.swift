import Ground
import Database
import Guardrails

extension SharedContainer {
  /// The row of the highest epoch: one prepared query, no write lock. What a beat reads each time.
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

  /// Everything that a decision looks at. Boot and clock are the observer's own, given through.
  ///
  /// The row is read again at the end: an owner that changed in between would give the lock of one and the beat
  /// of another. That costs only time, since a claim compares against the row's epoch, so it is tried twice more.
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

  /// Nobody has ever claimed the node of this container, as far as it can be read.
  public var isNew: Bool { readRow() == .row(nil) }

  /// What SQLite's cache can do without is given back; in bytes.
  public func releaseMemory() -> UInt64 { connection.releaseMemory() }

  /// Whether a living app says that it wants the node.
  public var appWantsNode: Bool { intentLock.probe() == .busy }

  /// Whether anybody holds the lock of a role. One that is missing or damaged proves nobody dead, so it counts as
  /// busy: then the beats decide, which costs seconds; calling it free could displace a healthy owner.
  private func isLockBusy(of role: Role) -> Bool {
    (role == self.role ? roleLock : otherRoleLock).probe() != .free
  }
}

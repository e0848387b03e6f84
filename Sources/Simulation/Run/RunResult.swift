import Ground

/// The result of a run.
public struct RunResult: Hashable, Sendable {
  public var seed: UInt64
  public var violation: Violation?
  public var simulated = TimeSpan.zero
  public var deliveredEvents: UInt64 = 0
  public var moves: UInt64 = 0
  public var payments = 0
  public var paid = 0
  public var pushes = 0
  /// External invoices that the user tried to pay, and those that are paid.
  public var sent = 0
  public var arrived = 0
  public var connecting = Waits()
  public var settling = Waits()
  public var suspensions = Suspensions()
  /// How often each storage fault occurred, in the order of `StorageFault.allCases`; the full disk last.
  public var storageFaults: [Int] = []
  /// How often each kind of fault occurred.
  public var faults = [Int](repeating: 0, count: FaultKind.allCases.count)

  /// Adds the figures of the device in hand.
  mutating func addDevice(of world: World) {
    pushes += world.pushes.count
    connecting.add(world.connecting)
    let faults = world.storage.occurred.value
    storageFaults = storageFaults.isEmpty ? faults : zip(storageFaults, faults).map { $0 + $1 }
  }
}

import Ground

/// Generates identifiers.
struct WorldNumbers: Hashable, Sendable {
  /// Identifiers of ended things are reused, so that the same situation is the same value whatever came before it.
  private let reuses: Bool
  private var pids: Int32 = 0
  private var wires: UInt64 = 0
  private var pushes: UInt64 = 0
  private var payments: UInt64 = 0
  private var requests: UInt64 = 0
  private var incarnations: UInt64 = 0
  private var tasks: UInt64 = 0

  init(reuses: Bool) { self.reuses = reuses }

  mutating func pid(of role: Role, on device: UInt8) -> Int32 {
    guard !reuses else { return (role == .app ? 1 : 2) + 2 * Int32(device) }
    pids += 1
    return pids
  }

  mutating func wire(besides wires: [Wire]) -> UInt64 {
    if reuses { return (1...).first { number in !wires.contains { $0.id == number } } ?? 1 }
    self.wires += 1
    return self.wires
  }

  mutating func push() -> UInt64 {
    pushes += 1
    return pushes
  }

  /// No push has a number: only its place in the pattern of hashes and payloads makes a difference.
  mutating func forgetPushes() { pushes %= Self.patternOfPushes }

  /// Of each four pushes one has no hash, and of each four silent and visible pairs one has a spoilt payload.
  private static let patternOfPushes: UInt64 = 8

  mutating func payment() -> UInt64 {
    payments += 1
    return payments
  }

  /// The phone's number for a user's request to the app.
  mutating func request() -> UInt64 {
    requests = reuses ? 1 : requests &+ 1
    return requests
  }

  /// Distinguishes two claims of one epoch, which only a restored database leads to.
  mutating func incarnation(after row: ClaimRow?, restored: UInt64) -> UInt64 {
    if reuses { return (row?.epoch ?? 0) + 1 + restored << 32 }
    incarnations &+= 1
    return incarnations
  }

  /// A new generation for the user's task, so that an older task's end does not end it.
  mutating func beginTask() { if !reuses { tasks &+= 1 } }
  var task: UInt64 { tasks }
}

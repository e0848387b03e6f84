import Ground
import Guardrails
import Wallet

/// The guard of either process, with the rules in `Rules` removed.
public struct WorldGuard: Hashable, Sendable, WalletGuard {
  public static var deadlineReached: GuardEvent { .deadlineReached }

  public enum Machine: Hashable, Sendable {
    case app(AppMachine)
    case notifier(ExtensionMachine)
    /// The extension of a wallet that only notifies the user of a payment.
    case teller(TellingExtensionMachine)
    case foreign(AnyExclusionGuard)
    /// Moved out while it handles an event.
    case none
  }

  private(set) var machine: Machine
  private let without: Rules
  public let role: Role

  init(role: Role, settings: WorldSettings) {
    self.role = role
    without = settings.without
    if let exclusion = settings.exclusion {
      machine = .foreign(AnyExclusionGuard(value: exclusion.value.guardrail(of: role)))
    } else {
      var configuration = settings.guardConfiguration
      configuration.silentPushTask = settings.wallet.silentPushTask
      machine =
        switch role {
        case .app: .app(AppMachine(configuration: configuration))
        case .extension where !settings.wallet.extension.hasNode:
          .teller(TellingExtensionMachine(configuration: configuration))
        case .extension: .notifier(ExtensionMachine(configuration: configuration))
        }
    }
  }

  public var deadline: Instant? {
    switch machine {
    case .app(let machine): machine.deadline
    case .notifier(let machine): machine.deadline
    case .teller(let machine): machine.deadline
    case .foreign(let guardrail): guardrail.value.deadline
    case .none: nil
    }
  }

  public mutating func handle(_ event: GuardEvent, at now: Instant) -> [GuardDirective] {
    var directives: [GuardDirective] = []
    // Without the rule it goes on as if it had not been paused.
    if without.contains(.ownPause) {
      change({ $0.ownership.ignorePause(at: now) }, { $0.ownership.ignorePause(at: now) })
    }
    change(
      { directives = $0.handle(event, at: now) }, { directives = $0.handle(event, at: now) },
      { directives = $0.handle(event, at: now) }, { directives = $0.value.handle(event, at: now) })
    return without.contains(.releaseOrder) ? unlockingFirst(directives) : directives
  }

  /// Without the rule the lock is released before the node has closed its connection.
  private func unlockingFirst(_ directives: [GuardDirective]) -> [GuardDirective] {
    directives.flatMap { directive in
      if case .node(.stopNode) = directive { return [.container(.dropLock), directive] }
      return [directive]
    }
  }

  func noteStages(_ add: (Ways.Machine, UInt8) -> Void) {
    switch machine {
    case .app(let machine):
      add(.app, machine.stage.rawValue)
      add(.appOwnership, machine.ownership.stage.rawValue)
    case .notifier(let machine):
      add(.notifier, machine.stage.rawValue)
      add(.notifierOwnership, machine.ownership.stage.rawValue)
    case .teller, .foreign, .none: break
    }
  }

  var handlesSilentPush: Bool { if case .app(let app) = machine { app.handlesSilentPush } else { false } }

  /// The names of the background tasks that keep the app running.
  var taskNames: [String] { if case .app(let machine) = machine { machine.taskNames } else { [] } }

  /// The app has a named background task.
  var hasTask: Bool {
    switch machine {
    case .app(let machine): machine.hasNamedTask
    case .foreign(let guardrail): guardrail.value.hasTask
    case .notifier, .teller, .none: false
    }
  }

  package var foreign: (any ExclusionGuard)? {
    get { if case .foreign(let guardrail) = machine { guardrail.value } else { nil } }
    set { if let newValue { machine = .foreign(AnyExclusionGuard(value: newValue)) } }
  }
}

extension WorldGuard: Shiftable {
  public mutating func shift(by span: TimeSpan) {
    change(
      { $0.shift(by: span) }, { $0.shift(by: span) }, { $0.shift(by: span) }, { $0.value.shift(by: span) })
  }

  mutating func renumberBeats(ofEpoch epoch: Epoch, _ number: (UInt64) -> UInt64) {
    change(
      { $0.ownership.renumberBeats(ofEpoch: epoch, number) },
      { $0.ownership.renumberBeats(ofEpoch: epoch, number) })
  }

  func beatCounter(ofEpoch epoch: Epoch) -> UInt64? {
    switch machine {
    case .app(let machine): machine.ownership.beatCounter(ofEpoch: epoch)
    case .notifier(let machine): machine.ownership.beatCounter(ofEpoch: epoch)
    case .teller, .foreign, .none: nil
    }
  }

  /// Moves the machine out and back: a copy at each event would cost more than the event.
  private mutating func change(
    _ app: (inout AppMachine) -> Void, _ notifier: (inout ExtensionMachine) -> Void,
    _ teller: (inout TellingExtensionMachine) -> Void = { _ in },
    _ foreign: (inout AnyExclusionGuard) -> Void = { _ in }
  ) {
    switch machine {
    case .app(var changed):
      machine = .none
      app(&changed)
      machine = .app(changed)
    case .notifier(var changed):
      machine = .none
      notifier(&changed)
      machine = .notifier(changed)
    case .teller(var changed):
      machine = .none
      teller(&changed)
      machine = .teller(changed)
    case .foreign(var changed):
      machine = .none
      foreign(&changed)
      machine = .foreign(changed)
    case .none: break
    }
  }
}

/// The clocks of a world.
public struct WorldClock: Hashable, Sendable {
  /// The phone's monotonic clock, which its processes use.
  public private(set) var now = Instant.zero
  /// The peer's clock: it runs while the device sleeps.
  public private(set) var peerNow = Instant.zero
  /// Wall clock minus monotonic clock. Baton's own guards never read the wall clock to decide anything.
  private var wallOffset = TimeSpan.zero
  /// The wall clock was set.
  package private(set) var wasStepped = false
  private var boots: UInt64 = 1

  package var wallNow: Instant { now + wallOffset }

  var boot: BootID { BootID(high: 0, low: boots) }

  /// False if `instant` is not later.
  @discardableResult mutating func pass(until instant: Instant) -> Bool {
    guard instant > now else { return false }
    peerNow = peerNow + (instant - now)
    now = instant
    return true
  }

  /// Time on a device that is not in hand; the peer's clock is kept with the device in hand.
  mutating func passAside(_ span: TimeSpan) { now = now + span }

  mutating func followPeer(_ other: inout WorldClock) {
    peerNow = other.peerNow
    other.peerNow = .zero
  }

  /// The phone's clock stands still, the peer's runs.
  mutating func passAsleep(_ span: TimeSpan) { peerNow = peerNow + span }

  /// Sets the wall clock.
  mutating func step(_ span: TimeSpan) {
    wallOffset = wallOffset + span
    wasStepped = true
  }

  /// The clock of this boot begins at zero.
  mutating func restart() {
    boots += 1
    now = .zero
  }

  /// To zero, for the explorer.
  mutating func startAnew() { now = .zero }
  mutating func startPeerAnew() { peerNow = .zero }
}

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

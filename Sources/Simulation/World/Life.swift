import Ground
import Guardrails
import Lightning
import PhonePolicy
import Wallet

/// One wallet process from start to end: the shipped `WalletMachine` and the pending orders of its ports.
///
/// Like a real event loop, a process carries out one order, handles its answer, then reads the next event. Between
/// any two orders the process can die or freeze, and the other process can move.
public struct Life: Hashable, Sendable {
  public let role: Role
  public let identity: ProcessIdentity
  public package(set) var wallet: WalletMachine<WorldGuard>

  var orders: ArraySlice<WalletDirective> = []
  package var answers: ArraySlice<WalletEvent> = []
  /// Events of the phone that it has not read yet.
  var inbox: ArraySlice<WalletEvent> = []
  /// Runs of its background tasks that began and are not completed.
  var taskRuns: [TaskRun] = []
  /// Tasks up to this generation may end before their payments do.
  var excusedTasks: UInt64 = 0

  /// The claim under which its node runs.
  var claim: Claim?
  /// The epoch that was seen, if the claim comes only after the dial (`Rule.claimBeforeDialling` removed).
  var claimsAfterDialling: Epoch?
  /// Its node was started at least once.
  var hasStarted = false
  /// At the user's request it has replaced the claim of the other device, and may tell the peer so.
  var takesPlace = false
  /// The node's connection.
  var wire: UInt64?
  /// Pushes for which the read of received payments was empty or failed since the process was last idle.
  var emptyReads: Set<UInt64> = []
  /// Of an extension that only notifies.
  var heardPushes: [HeardPush] = []
  /// The process found its container lost and can read nothing any more.
  var hasLostContainer = false
  public internal(set) var isFrozen = false
  /// Number of the background period whose notice it read last, and those of the unread notices.
  var timeInBackground: UInt64?
  var timesToHear: ArraySlice<UInt64> = []
  /// Suspended by the phone in the background.
  public internal(set) var isSuspended = false
  /// When it says its first message, and begins to read events; nil once it has.
  var startsAt: Instant?
  /// Since when it has run without a pause.
  var runningSince: Instant
  /// When it last thawed, at most `World.healthyAfter` ago: it has had no time to unlock.
  var thawedAt: Instant?
  /// When a beat last failed: to the other process it looks paused.
  var silentAt: Instant?
  public internal(set) var status: Status?
  /// Of an app that completes what its extension announces.
  public internal(set) var screen: AppScreen?
  /// When the status was shown, and when the process was frozen. Only in runs: the explorer would take states that
  /// differ only in these for different ones.
  var shownSince = Instant.zero
  var frozenSince = Instant.zero
  /// The process has ordered its own end.
  var hasEnded = false
  /// Newest channel revision written or read under its claim.
  var soundRevision: UInt64 = 0

  init(role: Role, identity: ProcessIdentity, settings: WorldSettings, device: UInt8 = 0, now: Instant) {
    self.role = role
    self.identity = identity
    wallet = WalletMachine(
      guardrail: WorldGuard(role: role, settings: settings),
      node: .init(
        rules: settings.rules, multiPartWindow: settings.multiPartWindow,
        fundingKey: settings.splices ? World.walletKey : nil, startDelay: settings.startDelay,
        pushKey: settings.wallet.extension.hasNode ? nil : World.pushKey(of: device)),
      background: role == .app ? settings.background : nil,
      completes: role == .app && !settings.wallet.extension.hasNode)
    runningSince = now
    inbox = [.guardrail(.launched)]
  }

  package mutating func answer(_ event: GuardEvent) { answers.append(.guardrail(event)) }
  package mutating func answer(_ event: NodeEvent) { answers.append(.node(event)) }

  package var isStopped: Bool { isFrozen || isSuspended }

  /// No order or answer is pending: the process waits for an event.
  var isIdle: Bool { orders.isEmpty && answers.isEmpty }

  /// Of an app: no silent push waits for it, and it handles none.
  var knowsNoPush: Bool { isIdle && inbox.isEmpty && !wallet.guardrail.handlesSilentPush }

  /// Summary for `ready` and the explorer, computed once per state.
  struct Glance {
    var pid: Int32
    var isFrozen: Bool
    var isStopped: Bool
    var isIdle: Bool
    var hasInbox: Bool
    /// It has not said its first message, and reads nothing.
    var isStarting: Bool
    var deadline: Instant?
    var nextIsLocal: Bool
    var isAboutToWrite: Bool
    var isOwner: Bool

    var isAtWork: Bool { !isStopped && !isIdle }
    var canListen: Bool { !isStopped && isIdle && !isStarting }
  }

  var glance: Glance {
    Glance(
      pid: identity.pid, isFrozen: isFrozen, isStopped: isStopped, isIdle: isIdle, hasInbox: !inbox.isEmpty,
      isStarting: startsAt != nil, deadline: isStopped ? nil : startsAt ?? wallet.deadline,
      nextIsLocal: nextIsLocal, isAboutToWrite: isAboutToWrite, isOwner: claim != nil)
  }
}

extension PerRole where Value == Boxed<Life>? {
  var glances: Glances {
    Glances(app?.part { $0.pointee.glance }, notifier?.part { $0.pointee.glance })
  }

  func role(ofPid pid: Int32) -> Role? {
    if app?.part({ $0.pointee.identity.pid }) == pid { return .app }
    return notifier?.part { $0.pointee.identity.pid } == pid ? .extension : nil
  }
}

/// A run of a background task that the app has not completed.
struct TaskRun: Hashable, Sendable {
  var number: UInt64
  var heardAt: Instant
}

// The app's background work: a run is completed once and in time (the phone tolerates both mistakes, and gives such
// an app less time); the app is awake exactly while it has a task for a payment.
extension World {
  func noteRun(_ event: WalletEvent, _ life: inout Life) {
    guard case .background(.runBegan(_, let number)) = event else { return }
    life.taskRuns.append(TaskRun(number: number, heardAt: now))
  }

  mutating func checkCompletion(ofRun number: UInt64, _ life: inout Life) {
    guard let index = life.taskRuns.firstIndex(where: { $0.number == number }) else {
      return report(.tasksAreCompleted, "The app completes run \(number) of a background task twice.")
    }
    life.taskRuns.remove(at: index)
    tasksCompleted += 1
  }

  /// The phone's time limit is reached; the app's own limit was some seconds earlier. A process that was paused or
  /// got the run late is excused.
  mutating func checkTime(of record: TaskRecord) {
    guard record.fate == .expires(.timeUp), let life = lives.app?.value, !life.isStopped,
      now - life.runningSince > Self.stepsWithin,
      let run = life.taskRuns.first(where: { $0.number == record.number }),
      now - run.heardAt > BackgroundWork.timeLimit + Self.stepsWithin
    else { return }
    report(
      .tasksAreCompleted,
      "Run \(run.number) of a background task has expired, and the app has not completed it.")
  }

  /// Time for the last step of a run.
  private static let stepsWithin = TimeSpan.seconds(2)

  // MARK: The app stays awake for payments

  /// The phone suspends the app: its tasks have ended or expired.
  mutating func checkPaymentsLetSleep(_ app: Life) {
    guard !app.isFrozen, now - app.runningSince > Self.healthyAfter else { return }
    for open in app.wallet.requests.open where open.task.map({ $0.generation > app.excusedTasks }) == true {
      guard case .payment(let hash)? = open.key,
        let send = sends.first(where: { $0.invoice.paymentHash == hash }),
        peerNow - send.askedAt < LongLivedTasks.longest
      else { continue }
      report(.awakeForPayments, "The app is suspended while an outgoing payment is pending.")
    }
  }

  /// Checked when the process is idle. A task without its request would keep the app awake for three minutes.
  mutating func checkTasksOfPayments(_ life: Life) {
    let requests = life.wallet.requests
    guard requests.generation > 0, life.isIdle, violation == nil else { return }
    let held = requests.open.compactMap(\.task?.name)
    // Other tasks: the node's own, and the one of `beginTask`.
    let others = [LongLivedTask.multiPartPayment, .named(Self.task)]
    let names = life.wallet.guardrail.taskNames
    if names.contains(where: { !held.contains($0) && !others.contains(.named($0)) }) {
      report(.awakeForPayments, "The app has a task for a request that has ended.")
    }
    guard container.value.isOwned(by: life.claim) else { return }
    // By the process's own state: after a write without an answer it learns the result at its next read.
    let pending = life.wallet.node.durableState.payments.pending.map(\.paymentHash)
    for open in requests.open where open.isBegun {
      if case .payment(let hash)? = open.key, !pending.contains(hash) {
        report(.awakeForPayments, "The app treats an ended payment as pending.")
      }
    }
  }
}

/// How often the phone suspended the processes.
public struct Suspensions: Hashable, Sendable {
  public private(set) var app = 0
  public private(set) var ofExtension = 0
  /// Of these, with a lock in the container: only a process that was frozen until a moment ago may have one.
  public private(set) var withLock = 0

  public init() {}

  mutating func note(_ role: Role, holdsLock: Bool) {
    if role == .app { app += 1 } else { ofExtension += 1 }
    if holdsLock { withLock += 1 }
  }

  public mutating func add(_ other: Suspensions) {
    app += other.app
    ofExtension += other.ofExtension
    withLock += other.withLock
  }
}

/// Statistics of how long the user or a sender waited.
public struct Waits: Hashable, Sendable {
  public private(set) var count = 0
  public private(set) var total = TimeSpan.zero
  public private(set) var longest = TimeSpan.zero

  public init() {}

  public var mean: TimeSpan { count == 0 ? .zero : TimeSpan(nanoseconds: total.nanoseconds / Int64(count)) }

  mutating func add(_ span: TimeSpan) {
    count += 1
    total = total + span
    longest = max(longest, span)
  }

  public mutating func add(_ other: Waits) {
    count += other.count
    total = total + other.total
    longest = max(longest, other.longest)
  }
}

import Ground
import Guardrails
import Lightning

/// One wallet process, from its start to its end: the two cores that ship, and what its shell has still to do.
///
/// A process does one thing after the other, as its event loop does: what the node ordered, then what the node is to
/// hear, then the same of the guard, then the news that were put off until all else is done. Between any two of these
/// steps the process can die or freeze, and the other one can move.
public struct Life: Hashable, Sendable {
  public let role: Role
  public let identity: ProcessIdentity
  var guardValue: GuardValue
  var node: NodeMachine

  var nodeTodo: ArraySlice<NodeDirective> = []
  var nodeQueue: ArraySlice<NodeEvent> = []
  var guardTodo: ArraySlice<GuardDirective> = []
  var guardQueue: ArraySlice<GuardEvent> = []
  var posted: ArraySlice<Posted> = []
  /// What the phone has told it and it has not read yet.
  var inbox: ArraySlice<Mail> = []
  var background = BackgroundWork()
  var paymentTasks = PaymentTasks()
  var spliceTask = SpliceTask()
  /// Tasks up to this one may have been given up before their payments were over.
  var excusedTasks: UInt64 = 0

  var claim: Claim?
  /// The epoch that was seen, if nothing is claimed before the dial.
  var claimsAfterDialling: Epoch?
  /// Read in the claim, until the node is started with it.
  var claimedState = NodeState()
  /// Grows with every start of the node: its news of an earlier start is not told in a later one.
  var nodeStarts: UInt32 = 0
  /// The node's connection.
  var wire: UInt64?
  /// How many payments were received when the push came.
  var newestReceived = 0
  public internal(set) var isFrozen = false
  /// Which of its times in the background it has heard of last; and those that it will hear of.
  var timeInBackground: UInt64?
  var timesToHear: ArraySlice<UInt64> = []
  /// Stopped by the phone, as nothing keeps it awake in the background.
  public internal(set) var isSuspended = false
  /// In a coordination of others: it was frozen before, and went on.
  var hasThawed = false
  /// In a coordination of others: its node has spoken of its channel, and was not told to stop.
  var isDriving = false
  /// Since when it has run without a pause.
  var runningSince: Instant
  public internal(set) var status: Status?
  /// When it came to show that, and when it was frozen: in runs only, as an explorer would tell states apart by them.
  var shownSince = Instant.zero
  var frozenSince = Instant.zero
  /// It has said that it ends.
  var hasEnded = false
  /// The newest state of the channel that is durable under its claim, or was read under it.
  var soundRevision: UInt64 = 0

  struct Posted: Hashable, Sendable {
    var event: GuardEvent
    /// Nil: whatever the node does.
    var nodeStarts: UInt32?
  }

  enum Mail: Hashable, Sendable {
    case word(GuardEvent)
    /// The person has pressed "send".
    case send(Int)
    /// The same for money on chain.
    case withdraw(Int)
  }

  init(role: Role, identity: ProcessIdentity, settings: WorldSettings, now: Instant) {
    self.role = role
    self.identity = identity
    guardValue = GuardValue(
      role: role, configuration: settings.guardConfiguration, coordination: settings.coordination)
    node = NodeMachine(
      configuration: .init(
        rules: settings.rules, multiPartWindow: settings.multiPartWindow,
        fundingKey: settings.splices ? World.walletKey : nil))
    runningSince = now
    inbox = [.word(.launched)]
  }

  var isStopped: Bool { isFrozen || isSuspended }

  /// Nothing is half done: it waits for something to happen.
  var isIdle: Bool {
    nodeTodo.isEmpty && nodeQueue.isEmpty && guardTodo.isEmpty && guardQueue.isEmpty && posted.isEmpty
  }

  /// What others see of it without looking inside.
  struct Glance {
    var pid: Int32
    var isFrozen: Bool
    var isStopped: Bool
    var isIdle: Bool
    var hasMail: Bool
    var deadline: Instant?
    var nextIsOwnAffair: Bool
    var isAboutToWrite: Bool
    var isOwner: Bool

    var isAtWork: Bool { !isStopped && !isIdle }
    var canListen: Bool { !isStopped && isIdle }
  }

  var glance: Glance {
    Glance(
      pid: identity.pid, isFrozen: isFrozen, isStopped: isStopped, isIdle: isIdle,
      hasMail: !inbox.isEmpty || !background.words.isEmpty,
      deadline: isStopped ? nil : deadline,
      nextIsOwnAffair: nextIsOwnAffair, isAboutToWrite: isAboutToWrite, isOwner: claim != nil)
  }

  var deadline: Instant? {
    let core: Instant? =
      switch (guardValue.deadline, node.deadline) {
      case (let one?, let other?): min(one, other)
      case (let one, nil): one
      case (nil, let other): other
      }
    guard let work = background.deadline else { return core }
    return core.map { min($0, work) } ?? work
  }
}

import Ground
import Guardrails
import LightningChannel
import LightningNode
import Wallet

/// One wallet process, from its start to its end: the wallet that ships, and what its ports have still to do.
///
/// A process does one thing after the other, as its event loop does: an order of the wallet, then the answer to it, then the
/// next thing that it hears. Between any two orders the process can die or freeze, and the other one can move.
public struct Life: Hashable, Sendable {
  public let role: Role
  public let identity: ProcessIdentity
  public internal(set) var wallet: WalletMachine<WorldGuard>

  var orders: ArraySlice<WalletDirective> = []
  var answers: ArraySlice<WalletEvent> = []
  /// What the phone has told it and it has not read yet.
  var inbox: ArraySlice<WalletEvent> = []
  /// Runs of its background tasks that it has heard of and not completed.
  var taskRuns: [TaskRun] = []
  /// Tasks up to this one may have been given up before their payments were over.
  var excusedTasks: UInt64 = 0

  /// Under which its node runs.
  var claim: Claim?
  /// The epoch that was seen, if nothing is claimed before the dial.
  var claimsAfterDialling: Epoch?
  /// Its node was started before.
  var hasStarted = false
  /// The node's connection.
  var wire: UInt64?
  /// Pushes for which it was told, since it last heard of anything, that nothing was received, or that this cannot be read.
  var heardOfNothing: Set<UInt64> = []
  /// It can read nothing any more.
  var hasLostContainer = false
  public internal(set) var isFrozen = false
  /// Which of its times in the background it has heard of last; and those that it will hear of.
  var timeInBackground: UInt64?
  var timesToHear: ArraySlice<UInt64> = []
  /// Stopped by the phone, as nothing keeps it awake in the background.
  public internal(set) var isSuspended = false
  /// Since when it has run without a pause.
  var runningSince: Instant
  /// When it last could not beat: to others it is as if it had been paused.
  var silentAt: Instant?
  public internal(set) var status: Status?
  /// When it came to show that, and when it was frozen: in runs only, as an explorer would tell states apart by them.
  var shownSince = Instant.zero
  var frozenSince = Instant.zero
  /// It has said that it ends.
  var hasEnded = false
  /// The newest state of the channel that is durable under its claim, or was read under it.
  var soundRevision: UInt64 = 0

  init(role: Role, identity: ProcessIdentity, settings: WorldSettings, now: Instant) {
    self.role = role
    self.identity = identity
    wallet = WalletMachine(
      guardrail: WorldGuard(role: role, settings: settings),
      node: .init(
        rules: settings.rules, multiPartWindow: settings.multiPartWindow,
        fundingKey: settings.splices ? World.walletKey : nil),
      background: role == .app ? settings.background : nil)
    runningSince = now
    inbox = [.guardrail(.launched)]
  }

  mutating func answer(_ event: GuardEvent) { answers.append(.guardrail(event)) }
  mutating func answer(_ event: NodeEvent) { answers.append(.node(event)) }

  var isStopped: Bool { isFrozen || isSuspended }

  /// Nothing is half done: it waits for something to happen.
  var isIdle: Bool { orders.isEmpty && answers.isEmpty }

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
      hasMail: !inbox.isEmpty, deadline: isStopped ? nil : wallet.deadline,
      nextIsOwnAffair: nextIsOwnAffair, isAboutToWrite: isAboutToWrite, isOwner: claim != nil)
  }
}

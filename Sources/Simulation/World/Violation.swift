import Ground
import Guardrails
import LightningProvider
import PhonePolicy
import Wallet

/// The invariants that the simulation checks. 1 to 9 are the judge's numbers; from 10 on are the simulation's own.
public enum Invariant: Int, Hashable, Sendable, CaseIterable {
  case oneDriver = 1
  case channelNeverBack = 2
  case paidIsReceivedOnce = 3
  case oneTextPerPush = 5
  case progress = 6
  case healthyOwnerStays = 9
  case releasedBeforeSuspension = 10
  case sentOnce = 11
  case awakeForPayments = 12
  case tasksAreCompleted = 13
  case newestIsShown = 14
  case textIsTrue = 15
  case toldOnce = 16
  case movedByUser = 17
  case tellsOnly = 18
  case toldAtOnce = 19
  case recordsAreTrue = 20
  case senderKnows = 21

  /// Those that concern this wallet.
  public static func of(_ wallet: WalletProfile) -> [Invariant] {
    allCases.filter { !wallet.extension.hasNode || !$0.isOfTelling }
  }

  /// About an extension that only notifies.
  private var isOfTelling: Bool { [.tellsOnly, .toldAtOnce, .recordsAreTrue].contains(self) }

  public var sentence: String {
    switch self {
    case .oneDriver: "One process at a time uses the node."
    case .channelNeverBack: "No channel state goes back."
    case .paidIsReceivedOnce: "A payment that its sender sees as paid is received exactly once."
    case .oneTextPerPush: "A visible push ends with one notification."
    case .progress: "Without faults, the app connects and everything settles."
    case .healthyOwnerStays: "A healthy owner is not displaced."
    case .sentOnce: "An outgoing payment leaves once, and its recorded outcome is the real one."
    case .awakeForPayments: "The app stays awake while a payment is pending, and no longer."
    case .tasksAreCompleted: "Each run of a background task is completed once, before its time is over."
    case .newestIsShown: "The newest status is shown."
    case .senderKnows:
      "A sender pays an invoice once, one attempt at a time, and is not told “failed” of what settles."
    case .toldOnce: "A payment has one notification."
    case .movedByUser: "The wallet moves to another device only when the user asks for it."
    case .tellsOnly:
      "An extension that only notifies uses no node: the app alone claims, connects and pays out preimages."
    case .toldAtOnce: "An extension that only notifies delivers a push's text within a second."
    case .recordsAreTrue:
      "A record of an incoming payment names an announced payment, and stays until the payment has ended."
    case .textIsTrue: "A push's notification states what was received."
    case .releasedBeforeSuspension: "A suspended process holds no lock in the container."
    }
  }
}

public struct Violation: Hashable, Sendable {
  public var invariant: Invariant
  /// What happened, in one sentence.
  public var sentence: String

  /// The sentence without its numbers: one violation of each kind is reported.
  var kind: String { "\(invariant.rawValue) \(sentence.filter { !$0.isNumber })" }

  public init(invariant: Invariant, sentence: String) {
    self.invariant = invariant
    self.sentence = sentence
  }
}

// Invariants that hold at every step.
extension World {
  /// At most one process has sent `channel_reestablish` on a connection that the peer still reads.
  mutating func checkDrivers() {
    guard exclusion == nil else { return checkExclusion() }
    guard wires.all.count > 1 else { return }
    let driven = wires.all.filter { $0.isDriven && !$0.isOverForPeer && !$0.isShutByWallet }
    if driven.count > 1 { report(.oneDriver, "Two processes are connected to the peer at once.") }
  }

  /// An owner that runs and beats is not displaced.
  mutating func checkDisplacement(of row: ClaimRow?, by life: Life) {
    guard let row, row.role != life.role, let holder = lives[row.role]?.value, holder.identity == row.process,
      row.isOf(holder.claim), !holder.isStopped, now - holder.runningSince > Self.healthyAfter
    else { return }
    if let silentAt = holder.silentAt, now - silentAt <= Self.healthyAfter { return }
    if let lockReplacedAt, now - lockReplacedAt < Self.lockHealsWithin { return }
    report(
      .healthyOwnerStays, "The \(life.role) claims although the \(row.role) holds the node, runs and beats.")
  }

  /// A frozen holder is displaced when its beats are stale, not only when it thaws.
  mutating func checkSilence() {
    guard violation == nil, container.part({ $0.pointee.row != nil && $0.pointee.writer == nil }),
      let app = lives.app?.value, let holder = lives.notifier?.value, holder.isFrozen, !app.isStopped,
      case .waitingForExtension = app.status
    else { return }
    let since = max(app.shownSince, max(app.runningSince, holder.frozenSince))
    guard now - since >= Self.silenceEndsWithin else { return }
    report(.progress, "For 12 s the app has waited for an extension that is frozen.")
  }

  /// Staleness (5 s), a look, and a margin.
  private static let silenceEndsWithin = TimeSpan.seconds(12)

  /// Staleness (5 s), and one beat interval.
  static let healthyAfter = TimeSpan.seconds(7)
  static let lockHealsWithin = TimeSpan.seconds(3)

  /// A notification without a payment follows directly on a read of the container, so it must name every payment
  /// settled until then.
  mutating func checkText(of push: UInt64, _ outcome: PushOutcome, _ life: Life) {
    // Of an extension that only notifies: `checkTold`.
    guard let told = pushing[push], !tellsOnly || life.role == .app else { return }
    switch outcome {
    case .nothingReceived, .partsGivenBack:
      guard let hash = told.paymentHash, container.part({ $0.pointee.isSettled(hash) }),
        !life.hasLostContainer, !life.emptyReads.contains(push)
      else { return }
      report(.textIsTrue, "The text of push \(push) names no payment, but the push's payment is settled.")
    case .received(let payment):
      // After a restored copy the same positions hold other payments.
      guard let before = told.receivedBefore, copies.restored == 0,
        container.part({ $0.pointee.received.prefix(before) }).contains(where: {
          $0.invoice.paymentHash == payment.paymentHash
        })
      else { return }
      report(.textIsTrue, "The text of push \(push) names a payment received before the push was sent.")
    case .usedByAnotherDevice:
      if !told.wasServedElsewhere {
        report(
          .textIsTrue,
          "The text of push \(push) names another device, but the wallet has been on this one since the push."
        )
      }
    // An announcement promises nothing that the container could belie.
    case .partsWait, .appContinues, .announced: break
    }
  }

  /// To the user, two notifications of one payment look like two payments.
  mutating func checkToldOnce(_ notification: PhoneNotification) {
    guard pushing.noteNotification(notification) != 1 else { return }
    report(.toldOnce, "A payment gets a second notification while the first is still shown.")
  }

  mutating func reportNoProgress(within span: TimeSpan) {
    reportNoProgress("\(span.nanoseconds / 1_000_000_000) s after the last fault")
  }

  /// `when` begins the sentence: the bound that was reached.
  mutating func reportNoProgress(_ when: String) {
    guard !isStateLost else { return }
    let app = lives.app?.value.status.map { "shows “\($0.text)”" } ?? "does not run"
    report(
      .progress,
      "\(when) the app \(app); incoming payments pending: \(peer.value.state.payments.count)\(ownUnderWay).")
  }

  mutating func reportNotReceived(_ when: String) {
    guard !isStateLost else { return }
    report(
      .progress, "\(when) no process receives the payment\(exclusion?.value.whyNotReceived(in: self) ?? "").")
  }

  private var ownUnderWay: String {
    let count = container.value.node.payments.pending.count
    let cancels = areCancelsAnswered ? "" : "; an invoice cancellation is unanswered"
    return (count == 0 ? "" : "; outgoing payments pending: \(count)") + cancels
  }

  /// Of several `show` orders the last one stays on the screen.
  mutating func checkShown(_ newest: Status, _ orders: [WalletDirective]) {
    let last = orders.last { if case .phone(.guardrail(.show)) = $0 { true } else { false } }
    guard last != .phone(.guardrail(.show(newest))) else { return }
    report(.newestIsShown, "“\(newest.text)” is the newest status, but an older one stays shown.")
  }

  /// Checks after the fault period, when everything has settled.
  public mutating func checkAtTheEnd() {
    checkPushesAtTheEnd()
    onOtherDevice { $0.checkPushesAtTheEnd() }
    for payment in payments where payment.state == .paid {
      if !isReceived(invoices[payment.invoice].invoice.paymentHash) {
        report(.paidIsReceivedOnce, "A sender has paid, but the wallet has not received the payment.")
      }
    }
    checkSendersAtTheEnd()
    checkSendsAtTheEnd()
    checkSplicesAtTheEnd()
  }

  private mutating func checkPushesAtTheEnd() {
    for push in pushes where push.shown == 0 && !push.isLost && !push.wentToApp {
      let isInTurn = phone.queue.contains { $0.id == push.id } && phone.service != .notRunning
      guard !isInTurn, phone.service.current?.push.id != push.id else { continue }
      report(.oneTextPerPush, "Push \(push.id) was never shown.")
    }
  }
}

/// An event of a core and what the core ordered, as in a record of a journal.
public enum CoreRecord: Hashable, Sendable {
  case wallet(Role, PartRecord)
  case peer(PeerEvent, [PeerDirective])
  case phone(PhoneEvent, [PhoneDirective])
}

/// One record of a run's story.
public indirect enum Said: Hashable, Sendable {
  case core(CoreRecord)
  case started(Role, pid: Int32)
  /// Only a process starts, the simulated peer does not.
  case peerStarted
  /// The process ends by itself, with its last words.
  case ended(Role, String)
  case move(Move)
  case violation(Violation)
  /// A record of the user's second device.
  case onSecondDevice(Said)
}

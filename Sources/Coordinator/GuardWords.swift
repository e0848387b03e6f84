// The guard's vocabulary in the words of this library: the one file that knows both.

import Ground
import Guardrails
import SharedContainer

extension Role {
  init(_ role: ProcessRole) { self = role == .app ? .app : .extension }
}

extension Push {
  init(_ id: UInt64, _ reason: PushReason, _ payment: PaymentHash?, _ time: TimeSpan?) {
    let known: Push.Reason =
      switch reason {
      case .incomingPayment: .incomingPayment
      case .pendingSettlement: .pendingSettlement
      case .other: .onionMessage
      case .unreadable: .unreadable
      }
    self.init(id: id, reason: known, paymentHash: payment, time: time)
  }
}

extension PushReason {
  init(_ reason: Push.Reason) {
    switch reason {
    case .incomingPayment: self = .incomingPayment
    case .pendingSettlement: self = .pendingSettlement
    case .onionMessage: self = .other
    case .unreadable: self = .unreadable
    }
  }
}

extension NodeNews {
  /// That all parts of a payment have come is said behind its settling.
  var events: [GuardEvent] { reports.map { .node($0) } }

  private var reports: [NodeReport] {
    switch self {
    case .connecting: [.connecting]
    case .established: [.established]
    case .busy(let activity):
      [
        .splicing(activity.isSplicing), .settling(activity.isSettling),
        .collecting(activity.incompletePayments),
      ]
    case .received(let payment): [.received(payment.guarded)]
    case .stopped: [.stopped]
    case .fenced: [.fenced]
    case .refused(let fence): [.refused(highest: fence.epoch, container: fence.id)]
    case .trouble(let sentence): [.trouble(sentence)]
    }
  }
}

extension ReceivedPayment {
  var guarded: Guardrails.ReceivedPayment {
    Guardrails.ReceivedPayment(paymentHash: hash, amountMsat: amountMsat, text: memo)
  }
}

extension NodeStatus {
  /// What failed the container knows better than a sentence.
  init(_ status: Status, _ failure: ContainerError?) {
    switch status {
    case .idle: self = .idle
    case .waitingForExtension: self = .waitingForExtension
    case .waitingForOther(let pid): self = .waitingForProcess(pid: pid)
    case .appGoesFirst: self = .appGoesFirst
    case .blocked(let pid, let isStopped): self = .blocked(pid: pid, isStopped: isStopped)
    case .claiming: self = .claiming
    case .connecting(let epoch): self = .connecting(epoch: epoch)
    case .hinderedFromConnecting(let epoch, let sentence): self = .hindered(epoch: epoch, trouble: sentence)
    case .connected(let epoch): self = .connected(epoch: epoch)
    case .settling(let epoch): self = .settling(epoch: epoch)
    case .releasing(let epoch): self = .releasing(epoch: epoch)
    case .usedByAnotherDevice: self = .usedByAnotherDevice
    case .trouble: self = failure.map { .failed(CoordinatorError($0)) } ?? .peerOutOfReach
    }
  }
}

extension FinishReason {
  init(_ reason: Guardrails.FinishReason) {
    switch reason {
    case .totalTime: self = .totalTime
    case .idle: self = .idle
    case .appWantsNode: self = .appWantsNode
    case .handedOver: self = .handedOver
    case .received: self = .received
    case .unreadablePush: self = .unreadablePush
    case .timeWillExpire: self = .timeWillExpire
    case .fenced: self = .fenced
    case .terminated: self = .terminated
    case .otherDevice: self = .otherDevice
    case .outOfReach: self = .peerOutOfReach
    case .tooManyPushes: self = .tooManyPushes
    case .containerLost: self = .containerLost
    }
  }
}

extension SilentPushResult {
  init(_ outcome: SilentPushOutcome) {
    switch outcome {
    case .newData: self = .newData
    case .noData: self = .noData
    case .failed: self = .failed
    }
  }
}

extension EndReason {
  init(_ reason: Guardrails.EndReason) {
    switch reason {
    case .fenced: self = .fenced
    case .terminated: self = .terminated
    case .containerLost: self = .containerLost
    }
  }
}

/// The payments that texts may tell of: the guard's texts name a payment by its hash.
struct ToldPayments {
  private var payments: [ReceivedPayment] = []
  private static let most = 64

  mutating func note(_ newer: [ReceivedPayment]) { payments = Array((newer + payments).prefix(Self.most)) }

  func result(_ content: NotificationContent) -> PushResult {
    if let hash = content.payment, let payment = payments.first(where: { $0.hash == hash }) {
      return .received(payment)
    }
    switch content {
    case .partsWait: return .partsWait
    case .partsGivenBack: return .partsGivenBack
    case .appContinues: return .appContinues
    default:
      let reasons: [PushReason] = [.incomingPayment, .pendingSettlement, .other]
      let reason = reasons.first { content == .nothingReceived(for: Push(0, $0, nil, nil).reason) }
      return .nothingReceived(reason ?? .unreadable)
    }
  }
}

// Converts the guard's types into those of this library's interface.

import Ground
import Guardrails
import SharedContainer

extension NodeNews {
  var report: NodeReport {
    switch self {
    case .connecting: .connecting
    case .established: .established
    case .busy(let activity): .busy(activity)
    case .received(let payment): .received(payment)
    case .stopped: .stopped
    case .fenced: .fenced
    case .refused(let fence): .refused(highest: fence.epoch, container: fence.id)
    case .trouble(let sentence): .trouble(sentence)
    }
  }
}

extension NodeStatus {
  /// The container's error, if there is one, is more precise than the guard's sentence.
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
    case .peerOutOfReach: self = .peerOutOfReach
    case .trouble(let sentence):
      self = .failed(failure.map { CoordinatorError($0) } ?? .failed(log: sentence))
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
    // Only the extension without a node announces, and no coordinator runs it.
    case .received, .announced: self = .received
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

extension EndReason {
  init(_ reason: Guardrails.EndReason) {
    switch reason {
    case .fenced: self = .fenced
    case .terminated: self = .terminated
    case .containerLost: self = .containerLost
    }
  }
}

import CBaton

/// The Swift type of C's unnamed enums.
typealias CEnum = Int

/// A call's result.
enum Code {
  static let ok = Int32(BATON_OK)
  static let none = Int32(BATON_NONE)
  static let fenced = Int32(BATON_FENCED)
  static let blocked = Int32(BATON_BLOCKED)
  static let diskFull = Int32(BATON_DISK_FULL)
  static let misuse = Int32(BATON_MISUSE)
  static let sql = Int32(BATON_SQL)
}

extension CoordinatorError {
  var code: Int32 {
    switch self {
    case .fenced: Code.fenced
    case .blocked: Code.blocked
    case .diskFull: Code.diskFull
    case .containerLost: Int32(BATON_CONTAINER_LOST)
    case .damaged: Int32(BATON_DAMAGED)
    case .newerVersion: Int32(BATON_NEWER_VERSION)
    case .unusable: Int32(BATON_UNUSABLE)
    case .failed: Int32(BATON_FAILED)
    }
  }
}

extension PushReason {
  var code: CEnum {
    switch self {
    case .incomingPayment: BATON_REASON_INCOMING_PAYMENT
    case .pendingSettlement: BATON_REASON_PENDING_SETTLEMENT
    case .other: BATON_REASON_OTHER
    case .unreadable: BATON_REASON_UNREADABLE
    }
  }

  /// nil for an unknown code.
  init?(code: Int32) {
    let all: [PushReason] = [.incomingPayment, .pendingSettlement, .other, .unreadable]
    guard let reason = all.first(where: { Int32($0.code) == code }) else { return nil }
    self = reason
  }
}

extension NodeStatus {
  var code: CEnum {
    switch self {
    case .idle: BATON_STATUS_IDLE
    case .waitingForExtension: BATON_STATUS_WAITING_FOR_EXTENSION
    case .waitingForProcess: BATON_STATUS_WAITING_FOR_PROCESS
    case .appGoesFirst: BATON_STATUS_APP_GOES_FIRST
    case .blocked: BATON_STATUS_BLOCKED
    case .claiming: BATON_STATUS_CLAIMING
    case .connecting: BATON_STATUS_CONNECTING
    case .hindered: BATON_STATUS_HINDERED
    case .connected: BATON_STATUS_CONNECTED
    case .settling: BATON_STATUS_SETTLING
    case .releasing: BATON_STATUS_RELEASING
    case .usedByAnotherDevice: BATON_STATUS_USED_BY_ANOTHER_DEVICE
    case .peerOutOfReach: BATON_STATUS_PEER_OUT_OF_REACH
    case .failed: BATON_STATUS_FAILED
    }
  }
}

extension PushOutcome {
  var code: CEnum {
    switch self {
    case .received: BATON_RESULT_RECEIVED
    // No coordinator runs the extension that announces.
    case .nothingReceived, .announced: BATON_RESULT_NOTHING_RECEIVED
    case .partsWait: BATON_RESULT_PARTS_WAIT
    case .partsGivenBack: BATON_RESULT_PARTS_GIVEN_BACK
    case .appContinues: BATON_RESULT_APP_CONTINUES
    case .usedByAnotherDevice: BATON_RESULT_USED_BY_ANOTHER_DEVICE
    }
  }
}

extension FinishReason {
  var code: CEnum {
    switch self {
    case .totalTime: BATON_FINISH_TOTAL_TIME
    case .idle: BATON_FINISH_IDLE
    case .appWantsNode: BATON_FINISH_APP_WANTS_NODE
    case .handedOver: BATON_FINISH_HANDED_OVER
    // Only the extension without a node announces, and no coordinator runs it.
    case .received, .announced: BATON_FINISH_RECEIVED
    case .unreadablePush: BATON_FINISH_UNREADABLE_PUSH
    case .timeWillExpire: BATON_FINISH_TIME_WILL_EXPIRE
    case .fenced: BATON_FINISH_FENCED
    case .terminated: BATON_FINISH_TERMINATED
    case .otherDevice: BATON_FINISH_OTHER_DEVICE
    case .outOfReach: BATON_FINISH_PEER_OUT_OF_REACH
    case .tooManyPushes: BATON_FINISH_TOO_MANY_PUSHES
    case .containerLost: BATON_FINISH_CONTAINER_LOST
    }
  }
}

extension SilentPushOutcome {
  var code: CEnum {
    switch self {
    case .newData: BATON_COMPLETED_NEW_DATA
    case .noData: BATON_COMPLETED_NO_DATA
    case .failed: BATON_COMPLETED_FAILED
    }
  }
}

extension EndReason {
  var code: CEnum {
    switch self {
    case .fenced: BATON_END_FENCED
    case .terminated: BATON_END_TERMINATED
    case .containerLost: BATON_END_CONTAINER_LOST
    }
  }
}

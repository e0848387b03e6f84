/// The four events that move HTLCs, for all HTLCs of a channel at once.
enum HTLCStep {
  case commitmentSent
  case revocationReceived
  case commitmentReceived
  case revocationSent
}

/// The effect of a step on one HTLC.
enum HTLCProgress: Equatable {
  case unmoved
  case moved(HTLCState)
  case gone
}

extension HTLCState {
  /// BOLT 2's transitions.
  func after(_ step: HTLCStep) -> HTLCProgress {
    switch (self, step) {
    case (.sentAdd, .commitmentSent): .moved(.sentAddCommit)
    case (.sentAddCommit, .revocationReceived): .moved(.receivedAddRevocation)
    case (.receivedAddRevocation, .commitmentReceived): .moved(.receivedAddAckCommit)
    case (.receivedAddAckCommit, .revocationSent): .moved(.sentAddAckRevocation)
    case (.receivedRemove, .commitmentReceived): .moved(.receivedRemoveCommit)
    case (.receivedRemoveCommit, .revocationSent): .moved(.sentRemoveRevocation)
    case (.sentRemoveRevocation, .commitmentSent): .moved(.sentRemoveAckCommit)
    case (.sentRemoveAckCommit, .revocationReceived): .gone

    case (.receivedAdd, .commitmentReceived): .moved(.receivedAddCommit)
    case (.receivedAddCommit, .revocationSent): .moved(.sentAddRevocation)
    case (.sentAddRevocation, .commitmentSent): .moved(.sentAddAckCommit)
    case (.sentAddAckCommit, .revocationReceived): .moved(.receivedAddAckRevocation)
    case (.sentRemove, .commitmentSent): .moved(.sentRemoveCommit)
    case (.sentRemoveCommit, .revocationReceived): .moved(.receivedRemoveRevocation)
    case (.receivedRemoveRevocation, .commitmentReceived): .moved(.receivedRemoveAckCommit)
    case (.receivedRemoveAckCommit, .revocationSent): .gone

    default: .unmoved
    }
  }
}

import Ground

// The node's states by name, and the states that one event can lead to from each.
extension NodeMachine: Staged {
  public enum Stage: UInt8, Hashable, Sendable, CaseIterable {
    case stopped, pausing, checkingRow, dialling, exchangingInit, reading, readingAgain, adopting,
      awaitingBackup, established, mute, draining, offline, failed, preparing
  }

  public var stage: Stage {
    switch state {
    case .stopped: .stopped
    case .preparing: .preparing
    case .offline: .offline
    case .pausing: .pausing
    case .checkingRow: .checkingRow
    case .dialling: .dialling
    case .exchangingInit: .exchangingInit
    case .reading: .reading
    case .readingAgain: .readingAgain
    case .adopting: .adopting
    case .awaitingBackup: .awaitingBackup
    case .established: .established
    case .mute: .mute
    case .draining: .draining
    case .failed: .failed
    }
  }

  public static func next(after stage: Stage) -> [Stage] {
    switch stage {
    case .stopped: [.checkingRow, .preparing, .offline, .failed]
    case .preparing: [.checkingRow, .offline, .stopped]
    case .offline: [.checkingRow, .stopped]
    case .pausing: [.checkingRow, .offline, .stopped]
    case .checkingRow: [.dialling, .pausing, .offline, .stopped]
    case .dialling: [.exchangingInit, .pausing, .offline, .stopped]
    case .exchangingInit: [.reading, .pausing, .offline, .draining, .failed, .stopped]
    case .reading:
      [
        .established, .adopting, .awaitingBackup, .readingAgain, .mute, .pausing, .offline, .draining,
        .failed, .stopped,
      ]
    case .readingAgain: [.reading, .pausing, .offline, .draining, .failed, .stopped]
    case .adopting: [.reading, .established, .mute, .pausing, .offline, .draining, .failed, .stopped]
    case .awaitingBackup: [.adopting, .established, .mute, .pausing, .offline, .draining, .failed, .stopped]
    case .established: [.pausing, .offline, .draining, .failed, .stopped]
    case .mute: [.pausing, .offline, .draining, .failed, .stopped]
    case .draining: [.stopped]
    case .failed: [.stopped]
    }
  }
}

import CoreShape

// The states of the node by their names, and where one event can lead from each.
extension NodeMachine: Staged {
  public enum Stage: UInt8, Hashable, Sendable, CaseIterable {
    case stopped, pausing, checkingRow, dialling, greeting, reading, readingAgain, adopting, awaitingBackup,
      established, mute, draining
  }

  public var stage: Stage {
    switch state {
    case .stopped: .stopped
    case .pausing: .pausing
    case .checkingRow: .checkingRow
    case .dialling: .dialling
    case .greeting: .greeting
    case .reading: .reading
    case .readingAgain: .readingAgain
    case .adopting: .adopting
    case .awaitingBackup: .awaitingBackup
    case .established: .established
    case .mute: .mute
    case .draining: .draining
    }
  }

  public static func next(after stage: Stage) -> [Stage] {
    switch stage {
    case .stopped: [.checkingRow]
    case .pausing: [.checkingRow, .stopped]
    case .checkingRow: [.dialling, .pausing, .stopped]
    case .dialling: [.greeting, .pausing, .stopped]
    case .greeting: [.reading, .pausing, .draining, .stopped]
    case .reading:
      [.established, .adopting, .awaitingBackup, .readingAgain, .mute, .pausing, .draining, .stopped]
    case .readingAgain: [.reading, .pausing, .draining, .stopped]
    case .adopting: [.established, .awaitingBackup, .mute, .pausing, .draining, .stopped]
    case .awaitingBackup: [.adopting, .established, .mute, .pausing, .draining, .stopped]
    case .established: [.pausing, .draining, .stopped]
    case .mute: [.pausing, .draining, .stopped]
    case .draining: [.stopped]
    }
  }
}

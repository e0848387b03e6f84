import Ground

// The phone's states of the two processes, and the states that one event can lead to.
extension AppState: Staged {
  public enum Stage: UInt8, Hashable, Sendable, CaseIterable {
    case notRunning, launching, foreground, background, suspended, terminating
  }

  public var stage: Stage {
    switch self {
    case .notRunning: .notRunning
    case .launching: .launching
    case .foreground: .foreground
    case .background: .background
    case .suspended: .suspended
    case .terminating: .terminating
    }
  }

  public static func next(after stage: Stage) -> [Stage] {
    switch stage {
    case .notRunning: [.launching]
    case .launching: [.foreground, .background, .terminating, .notRunning]
    case .foreground: [.background, .terminating, .notRunning]
    case .background: [.foreground, .suspended, .terminating, .notRunning]
    case .suspended: [.foreground, .background, .terminating, .notRunning]
    case .terminating: [.notRunning, .launching]
    }
  }
}

extension ExtensionState: Staged {
  public enum Stage: UInt8, Hashable, Sendable, CaseIterable {
    case notRunning, launching, idle, serving, suspended, ending
  }

  public var stage: Stage {
    switch self {
    case .notRunning: .notRunning
    case .launching: .launching
    case .idle: .idle
    case .serving: .serving
    case .suspended: .suspended
    case .ending: .ending
    }
  }

  public static func next(after stage: Stage) -> [Stage] {
    switch stage {
    case .notRunning: [.launching]
    case .launching: [.idle, .serving, .ending, .notRunning]
    case .idle: [.serving, .ending, .notRunning, .launching]
    case .serving: [.idle, .suspended, .ending, .notRunning, .launching]
    case .suspended: [.serving, .ending, .notRunning, .launching]
    case .ending: [.notRunning, .launching]
    }
  }
}

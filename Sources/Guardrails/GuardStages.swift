import Ground

// The guards' states by name, and the states that one event can lead to from each. States passed through within one
// event do not count.
extension Ownership: Staged {
  package enum Stage: UInt8, Hashable, Sendable, CaseIterable {
    case idle, looking, claiming, owning, releasing, closing
  }

  package var stage: Stage {
    switch state {
    case .idle: .idle
    case .looking: .looking
    case .claiming: .claiming
    case .owning: .owning
    case .releasing: .releasing
    case .closing: .closing
    }
  }

  package static func next(after stage: Stage) -> [Stage] {
    switch stage {
    case .idle: [.looking]
    case .looking: [.claiming, .idle]
    case .claiming: [.owning, .looking, .closing, .idle]
    case .owning: [.releasing, .closing, .idle, .looking]
    case .releasing: [.closing, .idle, .looking]
    case .closing: [.idle, .looking]
    }
  }
}

extension AppMachine: Staged {
  package typealias Stage = Place

  package var stage: Stage { place }

  package static func next(after stage: Stage) -> [Stage] {
    switch stage {
    case .background: [.foreground, .staying, .ended]
    case .foreground: [.staying, .leaving, .background, .ending, .ended]
    case .staying: [.foreground, .leaving, .background, .ending, .ended]
    case .leaving: [.background, .foreground, .ending, .ended]
    case .ending: [.ended]
    case .ended: []
    }
  }
}

extension ExtensionMachine: Staged {
  package enum Stage: UInt8, Hashable, Sendable, CaseIterable {
    case waiting, serving, releasing, finishing, ended
  }

  package var stage: Stage {
    switch state {
    case .waiting: .waiting
    case .serving: .serving
    case .releasing: .releasing
    case .finishing: .finishing
    case .ended: .ended
    }
  }

  package static func next(after stage: Stage) -> [Stage] {
    switch stage {
    case .waiting: [.serving, .ended]
    case .serving: [.releasing, .waiting, .ended]
    case .releasing: [.waiting, .serving, .finishing, .ended]
    case .finishing: [.waiting, .serving, .ended]
    case .ended: []
    }
  }
}

import CoreShape
import Guardrails
import Heartbeat

/// The guard of either process, as one value.
public enum GuardValue: Hashable, Sendable {
  case app(AppMachine)
  case notifier(ExtensionMachine)
  /// While its machine is at work.
  case none

  init(role: Role, configuration: GuardConfiguration) {
    switch role {
    case .app: self = .app(AppMachine(configuration: configuration))
    case .extension: self = .notifier(ExtensionMachine(configuration: configuration))
    }
  }

  var deadline: Instant? {
    switch self {
    case .app(let machine): machine.deadline
    case .notifier(let machine): machine.deadline
    case .none: nil
    }
  }

  /// In place: a copy of the machine at each event would cost more than the event.
  mutating func handle(_ event: GuardEvent, at now: Instant, _ ways: inout Ways) -> [GuardDirective] {
    switch self {
    case .app(var machine):
      self = .none
      let before = (machine.stage, machine.ownershipStage)
      defer {
        ways.add(.app, before.0, machine.stage)
        ways.add(.appOwnership, before.1, machine.ownershipStage)
        self = .app(machine)
      }
      return machine.handle(event, at: now)
    case .notifier(var machine):
      self = .none
      let before = (machine.stage, machine.ownershipStage)
      defer {
        ways.add(.notifier, before.0, machine.stage)
        ways.add(.notifierOwnership, before.1, machine.ownershipStage)
        self = .notifier(machine)
      }
      return machine.handle(event, at: now)
    case .none: return []
    }
  }
}

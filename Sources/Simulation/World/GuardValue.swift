import Ground
import Guardrails

/// The guard of either process, as one value.
public enum GuardValue: Hashable, Sendable {
  case app(AppMachine)
  case notifier(ExtensionMachine)
  /// That of somebody else's pair.
  case other(OtherGuard)
  /// While its machine is at work.
  case none

  init(role: Role, configuration: GuardConfiguration, coordination: Coordination) {
    switch role {
    case _ where coordination != .baton: self = OtherGuard(coordination, role).map(GuardValue.other) ?? .none
    case .app: self = .app(AppMachine(configuration: configuration))
    case .extension: self = .notifier(ExtensionMachine(configuration: configuration))
    }
  }

  var deadline: Instant? {
    switch self {
    case .app(let machine): machine.deadline
    case .notifier(let machine): machine.deadline
    case .other(let guardrail): guardrail.machine.deadline
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
    case .other(var guardrail):
      self = .none
      defer { self = .other(guardrail) }
      return guardrail.handle(event, at: now)
    case .none: return []
    }
  }

  /// It goes on as if it had not been paused.
  mutating func ignorePause(at now: Instant) {
    switch self {
    case .app(var machine):
      machine.ignorePause(at: now)
      self = .app(machine)
    case .notifier(var machine):
      machine.ignorePause(at: now)
      self = .notifier(machine)
    case .other, .none: break
    }
  }

  var other: OtherGuard? { if case .other(let guardrail) = self { guardrail } else { nil } }
}

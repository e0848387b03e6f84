import Ground
import Guardrails

/// What a process knew of the other one when it let its node run.
enum Entry: Hashable, Sendable {
  /// There was no sign of it.
  case sawNothing
  /// The last sign of it was too old.
  case sawOld
  /// There was a fresh sign of it, and more votes for a connection.
  case outvoted
  /// It does not look.
  case didNotLook
}

/// One side of a coordination that is not ours. It speaks of the container in the words of our guard; the world takes
/// them as its coordination means them (`World+Others.swift`).
protocol OtherMachine: Hashable, Sendable, Shiftable {
  var deadline: Instant? { get }
  var entry: Entry? { get }
  /// The person looks at the app, and its node does not run.
  var isKeptWaiting: Bool { get }

  mutating func handle(_ event: GuardEvent, at now: Instant) -> [GuardDirective]
}

/// They have no epochs: every start of a node is under this.
extension Claim {
  static let ofOthers = Claim(epoch: 1, incarnation: 1, container: ContainerID(high: 0xC0, low: 1))
}

/// All of them, as one value.
public enum OtherGuard: Hashable, Sendable {
  case phoenixApp(PhoenixApp)
  case phoenixExtension(PhoenixExtension)
  case leaseApp(LeaseApp)
  case leaseExtension(LeaseExtension)

  init?(_ coordination: Coordination, _ role: Role) {
    switch (coordination, role) {
    case (.baton, _): return nil
    case (.phoenix, .app): self = .phoenixApp(PhoenixApp())
    case (.phoenix, .extension): self = .phoenixExtension(PhoenixExtension())
    case (.bitkit, .app): self = .leaseApp(LeaseApp(.bitkit))
    case (.bitkit, .extension): self = .leaseExtension(LeaseExtension(.bitkit))
    case (.matrix, .app): self = .leaseApp(LeaseApp(.matrix))
    case (.matrix, .extension): self = .leaseExtension(LeaseExtension(.matrix))
    }
  }

  var machine: any OtherMachine {
    switch self {
    case .phoenixApp(let machine): machine
    case .phoenixExtension(let machine): machine
    case .leaseApp(let machine): machine
    case .leaseExtension(let machine): machine
    }
  }

  mutating func handle(_ event: GuardEvent, at now: Instant) -> [GuardDirective] {
    change { $0.handle(event, at: now) }
  }

  /// The person has begun to send something that goes on in the background, or it is done. Only Phoenix has such tasks.
  mutating func task(isOn: Bool, at now: Instant) -> [GuardDirective] {
    guard case .phoenixApp(var app) = self else { return [] }
    defer { self = .phoenixApp(app) }
    return app.task(isOn: isOn, at: now)
  }

  private mutating func change<Answer>(_ body: (inout any OtherMachine) -> Answer) -> Answer {
    var any = machine
    defer {
      switch any {
      case let machine as PhoenixApp: self = .phoenixApp(machine)
      case let machine as PhoenixExtension: self = .phoenixExtension(machine)
      case let machine as LeaseApp: self = .leaseApp(machine)
      case let machine as LeaseExtension: self = .leaseExtension(machine)
      default: preconditionFailure("there is no other machine")
      }
    }
    return body(&any)
  }
}

extension OtherGuard: Shiftable {
  public mutating func shift(by span: TimeSpan) { change { $0.shift(by: span) } }
}

import Ground
import Guardrails
import Wallet

/// The guard of either process, with the rules in `Rules` removed.
public struct WorldGuard: Hashable, Sendable, WalletGuard {
  public static var deadlineReached: GuardEvent { .deadlineReached }

  public enum Machine: Hashable, Sendable {
    case app(AppMachine)
    case notifier(ExtensionMachine)
    /// The extension of a wallet that only notifies the user of a payment.
    case teller(TellingExtensionMachine)
    case foreign(AnyExclusionGuard)
    /// Moved out while it handles an event.
    case none
  }

  private(set) var machine: Machine
  private let without: Rules
  public let role: Role

  init(role: Role, settings: WorldSettings) {
    self.role = role
    without = settings.without
    if let exclusion = settings.exclusion {
      machine = .foreign(AnyExclusionGuard(value: exclusion.value.guardrail(of: role)))
    } else {
      var configuration = settings.guardConfiguration
      configuration.silentPushTask = settings.wallet.silentPushTask
      machine =
        switch role {
        case .app: .app(AppMachine(configuration: configuration))
        case .extension where !settings.wallet.extension.hasNode:
          .teller(TellingExtensionMachine(configuration: configuration))
        case .extension: .notifier(ExtensionMachine(configuration: configuration))
        }
    }
  }

  public var deadline: Instant? {
    switch machine {
    case .app(let machine): machine.deadline
    case .notifier(let machine): machine.deadline
    case .teller(let machine): machine.deadline
    case .foreign(let guardrail): guardrail.value.deadline
    case .none: nil
    }
  }

  /// Moves the machine out and back: a copy at each event would cost more than the event.
  public mutating func handle(_ event: GuardEvent, at now: Instant) -> [GuardDirective] {
    let directives: [GuardDirective]
    switch machine {
    case .app(var app):
      machine = .none
      // Without the rule it goes on as if it had not been paused.
      if without.contains(.ownPause) { app.ownership.ignorePause(at: now) }
      directives = app.handle(event, at: now)
      machine = .app(app)
    case .notifier(var notifier):
      machine = .none
      if without.contains(.ownPause) { notifier.ownership.ignorePause(at: now) }
      directives = notifier.handle(event, at: now)
      machine = .notifier(notifier)
    case .teller(var teller):
      machine = .none
      directives = teller.handle(event, at: now)
      machine = .teller(teller)
    case .foreign(var guardrail):
      machine = .none
      directives = guardrail.value.handle(event, at: now)
      machine = .foreign(guardrail)
    case .none: return []
    }
    return without.contains(.releaseOrder) ? unlockingFirst(directives) : directives
  }

  /// Without the rule the lock is released before the node has closed its connection.
  private func unlockingFirst(_ directives: [GuardDirective]) -> [GuardDirective] {
    directives.flatMap { directive in
      if case .node(.stopNode) = directive { return [.container(.dropLock), directive] }
      return [directive]
    }
  }

  func noteStages(_ add: (Ways.Machine, UInt8) -> Void) {
    switch machine {
    case .app(let machine):
      add(.app, machine.stage.rawValue)
      add(.appOwnership, machine.ownership.stage.rawValue)
    case .notifier(let machine):
      add(.notifier, machine.stage.rawValue)
      add(.notifierOwnership, machine.ownership.stage.rawValue)
    case .teller, .foreign, .none: break
    }
  }

  var handlesSilentPush: Bool { if case .app(let app) = machine { app.handlesSilentPush } else { false } }

  /// The names of the background tasks that keep the app running.
  var taskNames: [String] {
    if case .app(let machine) = machine { machine.taskNames } else { [] }
  }

  /// The app has a named background task.
  var hasTask: Bool {
    switch machine {
    case .app(let machine): machine.hasNamedTask
    case .foreign(let guardrail): guardrail.value.hasTask
    case .notifier, .teller, .none: false
    }
  }

  package var foreign: (any ExclusionGuard)? {
    get { if case .foreign(let guardrail) = machine { guardrail.value } else { nil } }
    set { if let newValue { machine = .foreign(AnyExclusionGuard(value: newValue)) } }
  }
}

extension WorldGuard: Shiftable {
  public mutating func shift(by span: TimeSpan) {
    change({ $0.shift(by: span) }, { $0.shift(by: span) })
    if case .teller(var teller) = machine {
      machine = .none
      teller.shift(by: span)
      machine = .teller(teller)
    }
    foreign?.shift(by: span)
  }

  mutating func renumberBeats(ofEpoch epoch: Epoch, _ number: (UInt64) -> UInt64) {
    change(
      { $0.ownership.renumberBeats(ofEpoch: epoch, number) },
      { $0.ownership.renumberBeats(ofEpoch: epoch, number) })
  }

  func beatCounter(ofEpoch epoch: Epoch) -> UInt64? {
    switch machine {
    case .app(let machine): machine.ownership.beatCounter(ofEpoch: epoch)
    case .notifier(let machine): machine.ownership.beatCounter(ofEpoch: epoch)
    case .teller, .foreign, .none: nil
    }
  }

  private mutating func change(
    _ app: (inout AppMachine) -> Void, _ notifier: (inout ExtensionMachine) -> Void
  ) {
    switch machine {
    case .app(var changed):
      machine = .none
      app(&changed)
      machine = .app(changed)
    case .notifier(var changed):
      machine = .none
      notifier(&changed)
      machine = .notifier(changed)
    case .teller, .foreign, .none: break
    }
  }
}

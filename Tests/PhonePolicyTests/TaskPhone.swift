@testable import PhonePolicy

let sync = "com.example.lightning.sync"
let processing = "com.example.lightning.processing"

// A phone whose app submits background tasks.
extension TestPhone {
  static func withTasks(_ change: (inout PhoneConfiguration) -> Void = { _ in }) -> TestPhone {
    var configuration = PhoneConfiguration()
    configuration.tasks.deferralPercent = 0
    change(&configuration)
    return TestPhone(configuration)
  }

  /// Opened once and then left, so that tasks may run.
  mutating func useApp() {
    openApp()
    _ = self(.userWentHome)
  }

  @discardableResult mutating func submit(
    _ identifier: String, _ kind: TaskKind, after earliest: TimeSpan = .zero, network: Bool = false,
    power: Bool = true
  ) -> [PhoneDirective] {
    self(
      .task(
        .submitted(
          TaskRequest(
            identifier: identifier, kind: kind, earliest: earliest, requiresNetwork: network,
            requiresExternalPower: power))))
  }

  /// Lets the span pass, with every deadline in it.
  @discardableResult mutating func pass(_ span: TimeSpan) -> [PhoneDirective] {
    let end = now + span
    var directives: [PhoneDirective] = []
    while let deadline = phone.deadline, deadline <= end {
      now = max(now, deadline)
      directives += self(.deadlineReached)
    }
    now = end
    return directives
  }

  mutating func set(_ changes: DeviceChange...) -> [PhoneDirective] {
    changes.flatMap { self(.deviceChanged($0)) }
  }

  /// Why the oldest pending task waits; nil if there is none or it may run.
  var hindrance: TaskHindrance? { phone.tasks.pending.first?.hindrance }
  var runs: [String] { phone.tasks.running.map(\.request.identifier) }
}

extension [PhoneDirective] {
  /// The fates of tasks among these directives, in order.
  var fates: [TaskRecord.Fate] {
    compactMap { if case .recordTask(let record) = $0 { record.fate } else { nil } }
  }

  var toldTasks: [TaskMessage] {
    compactMap { if case .tell(.app, .task(let message)) = $0 { message } else { nil } }
  }
}

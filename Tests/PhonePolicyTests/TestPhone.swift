@testable import PhonePolicy

extension PhoneConfiguration {
  init(_ change: (inout PhoneConfiguration) -> Void) {
    self.init()
    change(&self)
  }
}

extension SilentPushRules {
  init(_ change: (inout SilentPushRules) -> Void) {
    self.init()
    change(&self)
  }
}

/// A phone and its clock: a test gives events and compares directives.
struct TestPhone {
  var phone: Phone
  var now = Instant(nanoseconds: 1_000_000_000)
  /// Each process says `hello` as soon as it runs.
  var saysHello = true

  /// The app is suspended in the background only if `limitsBackground`.
  init(_ configuration: PhoneConfiguration = PhoneConfiguration(), limitsBackground: Bool = false) {
    var configuration = configuration
    if !limitsBackground { configuration.limitsBackground = false }
    phone = Phone(configuration: configuration)
  }

  /// The app has gone home and finished its work there; `audio`: it may play in the background.
  static func withAppAtHome(audio: Bool) -> TestPhone {
    var configuration = PhoneConfiguration()
    configuration.hasAudioMode = audio
    var phone = TestPhone(configuration, limitsBackground: true)
    phone.openApp()
    _ = phone(.userWentHome)
    _ = phone(.backgroundDone())
    return phone
  }

  mutating func callAsFunction(_ event: PhoneEvent) -> [PhoneDirective] {
    let directives = phone.handle(event, at: now)
    if saysHello, case .processStarted(let role, _) = event { _ = phone.handle(.helloSaid(role), at: now) }
    return directives
  }

  /// Lets time pass up to the phone's deadline and reports it reached.
  mutating func passToDeadline() -> [PhoneDirective] {
    guard let deadline = phone.deadline else { return [] }
    now = max(now, deadline)
    return self(.deadlineReached)
  }

  static func alert(_ id: UInt64, mutable: Bool = true) -> PhonePush {
    PhonePush(id: id, alert: original(id), hasMutableContent: mutable)
  }

  static func silent(_ id: UInt64) -> PhonePush { PhonePush(id: id, alert: nil, hasMutableContent: false) }

  static func original(_ id: UInt64) -> NotificationText { NotificationText(title: "Push", body: "\(id)") }

  /// An extension that serves the push from `now` on.
  mutating func serve(_ id: UInt64) {
    _ = self(.pushArrived(Self.alert(id)))
    _ = self(.processStarted(.extension, pid: 9))
  }

  mutating func openApp() {
    _ = self(.userOpened)
    _ = self(.processStarted(.app, pid: 8))
  }
}

extension PhoneDirective {
  static func showOriginal(_ id: UInt64) -> PhoneDirective {
    .show(PhoneNotification(push: id, source: .original, TestPhone.original(id)))
  }

  static func showContent(_ id: UInt64, _ text: NotificationText) -> PhoneDirective {
    .show(PhoneNotification(push: id, source: .content, text))
  }

  static func servePush(_ id: UInt64) -> PhoneDirective {
    .tell(.extension, .push(id: id, deadlineMilliseconds: 30_000))
  }
}

let received = NotificationText(title: "Received", body: "+5 sat", badgeIncrement: 1)

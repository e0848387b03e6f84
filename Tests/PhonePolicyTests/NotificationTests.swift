@testable import PhonePolicy

@Suite("The notification centre") struct NotificationTests {
  private let incoming = NotificationCategory(
    id: "INCOMING_PAYMENT",
    actions: [
      .init(id: "OPEN_NOW", title: "Open Now", opensApp: true),
      .init(id: "LATER", title: "", opensApp: false),
    ], tellsDismissal: true)
  private let quiet = NotificationCategory(id: "QUIET", actions: [], tellsDismissal: false)

  private func text(_ level: InterruptionLevel, _ category: String? = nil) -> NotificationText {
    NotificationText(title: "a", body: "b", level: level, category: category)
  }

  private func withCategories() -> TestPhone {
    var phone = TestPhone()
    _ = phone(.categoriesRegistered([incoming, quiet]))
    return phone
  }

  private func respond(_ id: UInt64, _ action: String) -> PhoneDirective {
    .tell(.app, .notificationResponse(id: id, action: action))
  }

  // MARK: Levels

  @Test(.shows("B-1.2.1"))
  func `Without the entitlement the extension's critical content is refused, and the alert is shown as sent`()
  {
    var phone = TestPhone()
    phone.serve(1)
    expect(
      phone(.contentDelivered(push: 1, text(.critical))),
      is: [
        .refuseNotification(push: 1, .criticalWithoutEntitlement),
        .recordFate(push: 1, .contentRefused(.criticalWithoutEntitlement)), .showOriginal(1),
      ])
    expect(phone(.contentDelivered(push: 1, text(.active))), is: [.refuseContent(push: 1)])
  }

  @Test(.shows("B-1.2.1")) func `A critical local notification is shown only with the entitlement`() {
    var phone = TestPhone()
    expect(
      phone(.notificationPosted(text(.critical), key: nil)),
      is: [
        .refuseNotification(push: nil, .criticalWithoutEntitlement)
      ])
    var configuration = PhoneConfiguration()
    configuration.hasCriticalAlerts = true
    var entitled = TestPhone(configuration)
    expect(
      entitled(.notificationPosted(text(.critical), key: nil)),
      is: [
        .show(PhoneNotification(push: nil, source: .local, text(.critical)))
      ])
  }

  @Test(.shows("B-1.2.1")) func `A critical alert without the entitlement is shown as an ordinary one`() {
    var phone = TestPhone()
    let push = PhonePush(id: 1, alert: text(.critical), hasMutableContent: false)
    expect(
      phone(.pushArrived(push)), is: [.show(PhoneNotification(push: 1, source: .original, text(.active)))])
  }

  @Test(.shows("B-1.2.4"), arguments: InterruptionLevel.allCases)
  func `With a Focus on, only time-sensitive and critical notifications are displayed at once`(
    _ level: InterruptionLevel
  ) {
    var configuration = PhoneConfiguration()
    configuration.hasCriticalAlerts = true
    var phone = TestPhone(configuration)
    var expected = PhoneNotification(push: nil, source: .local, text(level))
    expect(phone(.notificationPosted(text(level), key: nil)), is: [.show(expected)])
    _ = phone(.deviceChanged(.focus(true)))
    expected.isDisplayed = level == .timeSensitive || level == .critical
    expect(phone(.notificationPosted(text(level), key: nil)), is: [.show(expected)])
  }

  // MARK: Notifications off

  @Test(.shows("K-43"))
  func `With notifications off nothing is shown and no extension starts; silent pushes still come`() {
    var phone = TestPhone()
    _ = phone(.deviceChanged(.notifications(false)))
    let nothing = [PhoneDirective.recordFate(push: 1, .notShown(.notAllowed))]
    expect(phone(.pushArrived(TestPhone.alert(1))), is: nothing)
    expect(phone(.notificationPosted(text(.timeSensitive), key: nil)), is: [])
    expect(phone(.pushArrived(TestPhone.silent(2))), is: PhoneDirective.wakeFor(2))
    expect(phone.phone.service, is: .notRunning)
  }

  @Test(.shows("K-43"))
  func `Content is not shown if notifications are switched off while the extension works`() {
    var phone = TestPhone()
    phone.serve(1)
    _ = phone(.deviceChanged(.notifications(false)))
    expect(
      phone(.contentDelivered(push: 1, received)),
      is: [
        .recordFate(push: 1, .notShown(.notAllowed))
      ])
  }

  // MARK: User responses

  @Test(.shows("B-1.2.3"))
  func
    `A tap opens an app that is not running, in front or in the background, and passes the notification's id`()
  {
    var phone = withCategories()
    let closed = PhoneDirective.closeNotification(id: 7, .tap)
    let tap = PhoneEvent.notificationTouched(id: 7, category: nil, .tap)
    expect(phone(tap), is: [closed, .launch(.app, .notification(7, action: nil))])
    expect(phone(.processStarted(.app, pid: 8)), is: [.tell(.app, .enterForeground), respond(7, "default")])
    expect(phone(tap), is: [closed, respond(7, "default")])
    _ = phone(.userWentHome)
    expect(phone(tap), is: [closed, .tell(.app, .enterForeground), respond(7, "default")])
    #expect(phone.phone.assertions.isEmpty)
  }

  @Test(.shows("B-1.2.3")) func `The action OPEN_NOW brings the app to the front, also from a locked screen`()
  {
    var phone = withCategories()
    _ = phone(.deviceChanged(.locked))
    let touched = phone(.notificationTouched(id: 7, category: incoming.id, .action("OPEN_NOW")))
    expect(
      touched,
      is: [
        .closeNotification(id: 7, .action("OPEN_NOW")), .saveDevice(DeviceState()),
        .launch(.app, .notification(7, action: "OPEN_NOW")),
      ])
    expect(
      phone(.processStarted(.app, pid: 8)), is: [.tell(.app, .enterForeground), respond(7, "OPEN_NOW")])
  }

  @Test(.shows("B-1.2.3"))
  func `A dismissal launches the app, in the background, only if the category wants dismissals reported`() {
    var phone = withCategories()
    expect(
      phone(.notificationTouched(id: 6, category: quiet.id, .dismiss)),
      is: [
        .closeNotification(id: 6, .dismiss)
      ])
    expect(
      phone(.notificationTouched(id: 7, category: incoming.id, .dismiss)),
      is: [
        .closeNotification(id: 7, .dismiss), .launch(.app, .notification(7, action: "dismiss")),
      ])
    expect(phone(.processStarted(.app, pid: 8)), is: [respond(7, "dismiss")])
    #expect(phone.phone.assertions.contains(.notificationResponse(7)))
    _ = phone(.responseDone(id: 7))
    #expect(phone.phone.assertions.isEmpty)
    #expect(phone.phone.deadline == nil)
  }

  @Test(.shows("B-1.2.3"))
  func `An app that does not finish handling a notification response is kept awake for 30 s only`() {
    var phone = withCategories()
    _ = phone(.processStarted(.app, pid: 8))
    _ = phone(.notificationTouched(id: 7, category: incoming.id, .action("LATER")))
    _ = phone(.processStarted(.app, pid: 8))
    _ = phone(.backgroundDone())
    expect(phone.phone.app, is: .background(BackgroundStay(since: phone.now, isDone: true)))
    let start = phone.now
    expect(phone.passToDeadline(), is: [])
    expect(phone.now - start, is: .seconds(30))
    #expect(phone.phone.assertions.isEmpty)
    #expect(phone.phone.deadline == nil)
  }

  @Test(.shows("B-1.2.2"))
  func `A notification action that the category does not have is refused, and nothing happens`() {
    var phone = withCategories()
    for category in [nil, quiet.id, "OTHER"] {
      expect(phone.phone.refusal(of: .action("OPEN_NOW"), category: category), is: .noSuchAction("OPEN_NOW"))
      expect(phone(.notificationTouched(id: 1, category: category, .action("OPEN_NOW"))), is: [])
    }
    #expect(phone.phone.refusal(of: .action("OPEN_NOW"), category: incoming.id) == nil)
    #expect(phone.phone.refusal(of: .tap, category: nil) == nil)
  }

  @Test
  func `After a force-quit a tap on a notification counts as opening the app: silent pushes come again`() {
    var phone = withCategories()
    phone.openApp()
    _ = phone(.userQuit)
    expect(phone.phone.refusal(of: .tap, category: nil), is: .appIsEnding)
    _ = phone(.processEnded(.app, .signalled(9)))
    expect(phone(.pushArrived(TestPhone.silent(1))), is: PhoneDirective.dropped(1, .swipedAway))
    _ = phone(.notificationTouched(id: 7, category: nil, .tap))
    _ = phone(.processStarted(.app, pid: 8))
    expect(
      phone(.pushArrived(TestPhone.silent(2))), is: [.tellSilent(2, 0), .recordFate(push: 2, .delivered)])
  }
}

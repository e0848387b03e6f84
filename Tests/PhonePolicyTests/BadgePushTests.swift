@testable import PhonePolicy

@Suite("A push with a badge or a sound and no alert") struct BadgePushTests {
  private static func push(_ request: BadgeAndSound) -> PhoneEvent {
    .pushArrived(PhonePush(id: 1, alert: nil, hasMutableContent: true, badgeAndSound: request))
  }

  private static func applied(_ request: BadgeAndSound) -> [PhoneDirective] {
    (request.badge.map { [.setBadge($0)] } ?? [])
      + [.recordFate(push: 1, .applied(request))]
  }

  @Test
  func `A push with only a badge or a sound starts no extension and wakes no app, even with mutable-content`()
  {
    var phone = TestPhone()
    let both = BadgeAndSound(badge: 5, sound: "default")
    expect(phone(Self.push(both)), is: Self.applied(both))
    expect(phone(Self.push(BadgeAndSound(badge: 0))), is: Self.applied(BadgeAndSound(badge: 0)))
    expect(phone(Self.push(BadgeAndSound(sound: "coin"))), is: Self.applied(BadgeAndSound(sound: "coin")))
    #expect(phone.phone.service == .notRunning && phone.phone.app == .notRunning)
    #expect(phone.phone.silent.waiting == nil)
  }

  @Test func `A badge is a whole number from 0 to 999,999,999`() {
    expect([0, 5, 999_999_999].map { PushBadge.number($0) }, is: [0, 5, 999_999_999])
    expect([nil, -1, 1.5, 1_000_000_000].map { PushBadge.number($0) }, is: [nil, nil, nil, nil])
  }

  @Test func `A push with a badge, alone or with an alert, does nothing while notifications are off`() {
    var phone = TestPhone()
    _ = phone(.deviceChanged(.notifications(false)))
    expect(
      phone(Self.push(BadgeAndSound(badge: 5))),
      is: [
        .recordFate(push: 1, .notShown(.notAllowed))
      ])
    var alert = TestPhone.original(2)
    alert.badge = 5
    expect(
      phone(.pushArrived(PhonePush(id: 2, alert: alert, hasMutableContent: false))),
      is: [
        .recordFate(push: 2, .notShown(.notAllowed))
      ])
  }

  @Test
  func
    `A push with only a badge goes to the app in front; with --foreground-pushes extension the badge is set too`()
  {
    let request = BadgeAndSound(badge: 5)
    let forApp = PhoneDirective.tell(.app, .push(id: 1, deadlineMilliseconds: 0))
    var phone = TestPhone()
    phone.openApp()
    expect(phone(Self.push(request)), is: [forApp, .recordFate(push: 1, .givenToApp)])
    var other = TestPhone(PhoneConfiguration { $0.foregroundPushes = .extension })
    other.openApp()
    expect(other(Self.push(request)), is: [forApp, .setBadge(5), .recordFate(push: 1, .applied(request))])
  }

  @Test
  func
    `A Focus mutes a push's sound unless its interruption level breaks through, and lets the badge be set`()
  {
    var phone = TestPhone()
    _ = phone(.deviceChanged(.focus(true)))
    let badge = BadgeAndSound(badge: 5)
    expect(phone(Self.push(BadgeAndSound(badge: 5, sound: "coin"))), is: Self.applied(badge))
    let nothing = BadgeAndSound()
    expect(phone(Self.push(BadgeAndSound(sound: "coin"))), is: Self.applied(nothing))
    expect(
      PushFate.applied(nothing).description, is: "no notification: a Focus is on, so the sound is not played")
    let urgent = BadgeAndSound(sound: "coin", level: .timeSensitive)
    expect(phone(Self.push(urgent)), is: Self.applied(urgent))
    // Without the entitlement a critical sound is an ordinary one.
    expect(
      phone(Self.push(BadgeAndSound(sound: "coin", level: .critical))), is: Self.applied(BadgeAndSound()))
  }

  @Test func `The recorded fate of a push with only a badge and a sound names both`() {
    func words(_ request: BadgeAndSound) -> String { PushFate.applied(request).description }
    expect(words(BadgeAndSound(badge: 0)), is: "no notification: the badge is removed")
    expect(
      words(BadgeAndSound(badge: 5, sound: "coin")),
      is: "no notification: the badge is 5, and the sound coin is played")
  }

  @Test
  func
    `A badge sent with an alert is set with the notification, even if the extension's content has no badge`()
  {
    var phone = TestPhone()
    var alert = TestPhone.original(1)
    alert.badge = 9
    let push = PhonePush(id: 1, alert: alert, hasMutableContent: true)
    _ = phone(.pushArrived(push))
    _ = phone(.processStarted(.extension, pid: 9))
    var content = received
    content.badge = 9
    expect(phone(.contentDelivered(push: 1, received)), is: [.showContent(1, content)])
  }
}

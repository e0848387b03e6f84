@testable import PhonePolicy

@Suite("Where the wallet's alerts may appear") struct AlertPlaceTests {
  struct Places: Sendable, CustomStringConvertible {
    var lockScreen: Bool
    var centre: Bool
    var banners: Bool
    var isLocked: Bool

    static let all: [Places] = (0..<16).map { number in
      func isOn(_ bit: Int) -> Bool { number >> bit & 1 == 1 }
      return Places(lockScreen: isOn(0), centre: isOn(1), banners: isOn(2), isLocked: isOn(3))
    }

    var description: String {
      "lock screen \(lockScreen), centre \(centre), banners \(banners), locked \(isLocked)"
    }

    /// As Phoenix's developers found it.
    var hides: PushHide? {
      switch (lockScreen, centre, banners, isLocked) {
      case (false, false, false, _): .nowhere
      case (false, false, true, true): .bannersOnly
      default: nil
      }
    }

    func apply(to phone: inout TestPhone) {
      _ = phone(.deviceChanged(.lockScreen(lockScreen)))
      _ = phone(.deviceChanged(.centre(centre)))
      _ = phone(.deviceChanged(.banners(banners)))
      if isLocked { _ = phone(.deviceChanged(.locked)) }
    }
  }

  @Test(arguments: Places.all)
  func `The extension runs unless the alert appears nowhere; then the badge is set, and nothing is shown`(
    _ places: Places
  ) {
    var phone = TestPhone()
    places.apply(to: &phone)
    var alert = TestPhone.original(1)
    alert.badge = 4
    let answer = phone(.pushArrived(PhonePush(id: 1, alert: alert, hasMutableContent: true)))
    guard let why = places.hides else { return expect(answer, is: [.launch(.extension, .push(1))]) }
    expect(answer, is: [.setBadge(4), .recordFate(push: 1, .notShown(why))])
    expect(phone.phone.service, is: .notRunning)
    expect(phone(.notificationPosted(received, key: nil)), is: [])
  }

  @Test(arguments: Places.all)
  func `A notification is displayed at once on the lock screen if locked, else as a banner`(_ places: Places)
  {
    var phone = TestPhone()
    places.apply(to: &phone)
    var expected = PhoneNotification(push: nil, source: .local, received)
    expected.isDisplayed = places.isLocked ? places.lockScreen : places.banners
    expect(phone(.notificationPosted(received, key: nil)), is: (places.hides == nil ? [.show(expected)] : []))
  }

  @Test func `A notification that may not be shown withdraws the other one all the same`() {
    var phone = TestPhone()
    let shown = PhoneNotification(push: nil, source: .local, received, key: "r", withdraws: "a")
    expect(phone(.notificationPosted(received, key: "r", withdraws: "a")), is: [.show(shown)])
    expect(shown.replacedKeys, is: ["r", "a"])
    let critical = NotificationText(title: "a", body: "b", level: .critical)
    expect(
      phone(.notificationPosted(critical, key: "r", withdraws: "a")),
      is: [
        .refuseNotification(push: nil, .criticalWithoutEntitlement), .withdraw(key: "a"),
      ])
    Places(lockScreen: false, centre: false, banners: false, isLocked: false).apply(to: &phone)
    expect(phone(.notificationPosted(received, key: "r", withdraws: "a")), is: [.withdraw(key: "a")])
  }

  @Test func `Content is not shown if the phone is locked while the extension works for a banner`() {
    var phone = TestPhone()
    Places(lockScreen: false, centre: false, banners: true, isLocked: false).apply(to: &phone)
    phone.serve(1)
    _ = phone(.deviceChanged(.locked))
    expect(
      phone(.contentDelivered(push: 1, received)),
      is: [
        .recordFate(push: 1, .notShown(.bannersOnly))
      ])
  }

  @Test func `The app in front gets a push that would appear nowhere, and none without permission to notify`()
  {
    var phone = TestPhone()
    Places(lockScreen: false, centre: false, banners: false, isLocked: false).apply(to: &phone)
    phone.openApp()
    expect(phone(.pushArrived(TestPhone.alert(1))).last, is: .recordFate(push: 1, .givenToApp))
    _ = phone(.deviceChanged(.notifications(false)))
    expect(phone(.pushArrived(TestPhone.alert(2))).first, is: .recordFate(push: 2, .notShown(.notAllowed)))
  }

  // MARK: The entitlement to filter

  @Test func `Empty content shows nothing only if the extension has the entitlement for filtering`() {
    let empty = NotificationText(title: "", body: "")
    var configuration = PhoneConfiguration()
    configuration.appEntitlements.filtersNotifications = true
    var phone = TestPhone(configuration)
    phone.serve(1)
    expect(
      phone(.contentDelivered(push: 1, empty)),
      is: [
        .refuseNotification(push: 1, .emptyWithoutEntitlement),
        .recordFate(push: 1, .contentRefused(.emptyWithoutEntitlement)), .showOriginal(1),
      ])
    configuration.extensionEntitlements.filtersNotifications = true
    var entitled = TestPhone(configuration)
    entitled.serve(1)
    expect(
      entitled(.contentDelivered(push: 1, empty)), is: [.recordFate(push: 1, .filtered)])
    entitled = TestPhone(configuration)
    entitled.serve(2)
    let titled = NotificationText(title: "a", body: "")
    expect(entitled(.contentDelivered(push: 2, titled)), is: [.showContent(2, titled)])
  }
}

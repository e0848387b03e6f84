import Ground
import PhonePolicy
import Testing

/// Phoenix's text on iOS; numbers are its lines.
@Suite("Seed sentences: the phone") struct PhoneSentenceTests {
  private let launch = PhoneDirective.launch(.extension, .push(1))

  @Test
  func `9: 'does NOT allow the main Phoenix app to run in response to a push' that is visible`() {
    var phone = PhoneInHand()
    #expect(phone.getsPush() == [launch])
    #expect(phone.phone.app == .notRunning)
  }

  @Test
  func `10: 'launch this process in response to a received push', if it has an alert and is mutable`() {
    var phone = PhoneInHand()
    #expect(phone.getsPush() == [launch])
    var unchangeable = PhoneInHand()
    #expect(!unchangeable.getsPush(mutable: false).contains(launch))
    var silent = PhoneInHand()
    #expect(!silent.getsPush(alert: false).contains(launch))
  }

  @Test func `11: 'capped at 24 MB': the extension is killed one byte above`() {
    var phone = PhoneInHand()
    phone.servesPush()
    let limit: UInt64 = 24 * 1024 * 1024
    #expect(phone(.memorySampled(.extension, footprintBytes: limit, residentBytes: limit)) == [])
    let kill = PhoneDirective.kill(.extension, .memory(footprintBytes: limit + 1, limitBytes: limit))
    #expect(phone(.memorySampled(.extension, footprintBytes: limit + 1, residentBytes: limit)) == [kill])
  }

  @Test func `12 and 44: 'a maximum of 30 seconds', after which the extension is killed`() {
    var phone = PhoneInHand()
    phone.servesPush()
    let start = phone.now
    var directives: [PhoneDirective] = []
    while !directives.contains(.kill(.extension, .time(limitMilliseconds: 30_000))),
      phone.phone.deadline != nil
    {
      directives = phone.waits()
    }
    #expect(phone.now - start == .seconds(30))
    #expect(directives == [.kill(.extension, .time(limitMilliseconds: 30_000))])
  }

  @Test func `27: the extension is 'updating the text of the push notification'`() {
    var phone = PhoneInHand()
    phone.servesPush()
    let shown = phone(.contentDelivered(push: 1, received))
    #expect(shown.first == .show(PhoneNotification(push: 1, source: .content, received)))
    #expect(
      phone(.serviceFinished(push: 1, reason: "")) == [], "the push's own text is not shown in addition")
  }

  @Test func `35: 'iOS might drop or delay' a silent push 'in low-battery mode'`() {
    var phone = PhoneInHand()
    _ = phone(.deviceChanged(.lowPowerMode(true)))
    let directives = phone.getsPush(alert: false)
    #expect(directives.contains(.recordFate(push: 1, .dropped(.lowPowerMode))))
    #expect(phone.getsPush(2) == [.launch(.extension, .push(2))])
  }

  @Test func `41 and 42: 'open AND in the foreground': the app gets the push`() {
    var phone = PhoneInHand()
    phone.opensApp()
    #expect(phone.getsPush().first == .tell(.app, .push(id: 1, deadlineMilliseconds: 0)))
    #expect(phone.phone.service == .notRunning)
  }

  @Test(arguments: [true, false])
  func `43: 'if the answer is NO' (app in the background or not running), the extension gets the push`(
    isOpen: Bool
  ) {
    var phone = PhoneInHand()
    if isOpen {
      phone.opensApp()
      _ = phone(.userWentHome)
    }
    #expect(phone.getsPush() == [launch])
    let served = phone(.processStarted(.extension, pid: 9))
    #expect(served == [.tell(.extension, .push(id: 1, deadlineMilliseconds: 30_000))])
  }
}

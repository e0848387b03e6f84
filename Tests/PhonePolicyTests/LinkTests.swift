@testable import PhonePolicy

@Suite("Links and the pasteboard") struct LinkTests {
  private func phone() -> Phone {
    var configuration = PhoneConfiguration()
    configuration.linkSchemes = ["bitkit"]
    return Phone(configuration: configuration)
  }

  private func at(_ second: Int64) -> Instant { Instant(nanoseconds: second * 1_000_000_000) }

  @Test(.shows("B-S.3")) func `A link launches the app, which is given the link once it is in front`() {
    var phone = phone()
    expect(
      phone.handle(.linkOpened("7", scheme: "bitkit"), at: at(0)),
      is: [.launch(.app, .link(scheme: "bitkit"))])
    expect(
      phone.handle(.processStarted(.app, pid: 5), at: at(1)),
      is: [.tell(.app, .enterForeground), .tell(.app, .link("7"))])
    expect(LaunchReason.link(scheme: "bitkit").description, is: "opened by a link (bitkit:)")
  }

  @Test func `A link to an app in front is given to it at once`() {
    var phone = phone()
    _ = phone.handle(.userOpened, at: at(0))
    _ = phone.handle(.processStarted(.app, pid: 5), at: at(1))
    expect(phone.handle(.linkOpened("8", scheme: "bitkit"), at: at(2)), is: [.tell(.app, .link("8"))])
  }

  @Test(.shows("B-S.3")) func `A scheme that no installed app has registered opens nothing`() {
    var phone = phone()
    expect(phone.refusal(ofLinkWith: "lightning"), is: .noApp(scheme: "lightning"))
    expect(phone.handle(.linkOpened("7", scheme: "lightning"), at: at(0)), is: [])
    expect(phone.app, is: .notRunning)
    #expect(Phone(configuration: PhoneConfiguration()).refusal(ofLinkWith: "bitkit") != nil)
  }

  @Test(.shows("B-1.5s.6")) func `Only the app in front changes the pasteboard`() {
    var phone = phone()
    expect(
      phone.handle(.textCopied(.extension), at: at(0)), is: [.refusePasteboard(.extension, .noPasteboard)])
    expect(phone.handle(.textCopied(.app), at: at(0)), is: [.refusePasteboard(.app, .copiedBehind)])
    _ = phone.handle(.userOpened, at: at(1))
    _ = phone.handle(.processStarted(.app, pid: 5), at: at(1))
    expect(phone.handle(.textCopied(.app), at: at(2)), is: [.setPasteboard])
    _ = phone.handle(.userWentHome, at: at(3))
    expect(phone.handle(.textCopied(.app), at: at(3)), is: [.refusePasteboard(.app, .copiedBehind)])
  }
}

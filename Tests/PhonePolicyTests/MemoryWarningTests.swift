@testable import PhonePolicy

@Suite("The app's memory warning") struct MemoryWarningTests {
  private func sample(_ footprint: UInt64) -> PhoneEvent {
    .memorySampled(.app, footprintBytes: footprint, residentBytes: footprint)
  }

  private func warned(_ footprint: UInt64) -> [PhoneDirective] {
    [.tell(.app, .memoryWarning(footprintBytes: footprint))]
  }

  @Test(.shows("B-M.2"))
  func `The app's memory warning comes once above 100 MB, and again only after a fall to 100 MB`() {
    var phone = TestPhone()
    phone.openApp()
    expect(phone(sample(104_857_600)), is: [])
    expect(phone(sample(104_857_601)), is: warned(104_857_601))
    expect(phone(sample(200_000_000)), is: [])
    expect(phone(sample(104_857_600)), is: [])
    expect(phone(sample(110_000_000)), is: warned(110_000_000))
    _ = phone(.processEnded(.app, .signalled(11)))
    phone.openApp()
    expect(phone(sample(110_000_000)), is: warned(110_000_000), "a new process has had no warning")
  }

  @Test(.shows("B-M.2"))
  func `The limit of the memory warning is configurable; the extension and a suspended app get no warning`() {
    var configuration = PhoneConfiguration()
    configuration.memoryWarningBytes = 1000
    var phone = TestPhone(configuration, limitsBackground: true)
    expect(phone(sample(2000)), is: [])
    phone.openApp()
    _ = phone(.userWentHome)
    _ = phone(.backgroundDone())
    phone.now = phone.now + .seconds(6)
    expect(phone(.deadlineReached), is: [.suspend(.app)])
    expect(phone(sample(2000)), is: [])
    _ = phone(.userOpened)
    expect(phone(sample(2000)), is: warned(2000))
    phone.serve(1)
    expect(phone(.memorySampled(.extension, footprintBytes: 5000, residentBytes: 0)), is: [])
  }
}

@testable import PhonePolicy

@Suite struct AudioTests {
  private static func phone(declared: Bool = true) -> TestPhone {
    var configuration = PhoneConfiguration()
    configuration.hasAudioMode = declared
    var phone = TestPhone(configuration)
    phone.useApp()
    return phone
  }

  private func start(_ session: AudioSession) -> PhoneEvent { .audio(.startRequested(session)) }

  @Test(.shows("M-1.1"))
  func `Without the declared background mode audio is refused, and the app is not kept awake`() {
    var phone = Self.phone(declared: false)
    expect(phone(start(AudioSession())), is: [.tell(.app, .audio(.refused(.notDeclared)))])
    #expect(phone.phone.assertions.isEmpty)
  }

  @Test(.shows("M-1.2", "M-1.4", "M-6.2"))
  func `An endless, nearly silent loop keeps the app awake until it is stopped`() {
    var phone = Self.phone()
    expect(phone(start(AudioSession())), is: [.tell(.app, .audio(.plays))])
    expect(phone.pass(.seconds(1_000_000)), is: [])
    #expect(phone.phone.assertions.contains(.audio))
    expect(phone(.audio(.stopped)), is: [])
    #expect(phone.phone.assertions.isEmpty)
  }

  @Test(.shows("M-1.3")) func `Audio at volume 0 is refused and does not keep the app awake`() {
    var phone = Self.phone()
    expect(phone(start(AudioSession(volumeThousandths: 0))), is: [.tell(.app, .audio(.refused(.silent)))])
    #expect(phone.phone.audio.playing == nil)
    #expect(phone.phone.assertions.isEmpty)
  }

  @Test(.shows("M-1.4")) func `Audio with a number of loops ends after the last one`() {
    var phone = Self.phone()
    _ = phone(start(AudioSession(loops: 2)))
    phone.pass(.milliseconds(2999))
    #expect(phone.phone.assertions.contains(.audio))
    expect(phone.pass(.milliseconds(1)), is: [.tell(.app, .audio(.ended))])
    #expect(phone.phone.assertions.isEmpty)
  }

  @Test(.shows("M-1.7")) func `Another app's audio interrupts only audio that does not mix`() {
    var phone = Self.phone()
    _ = phone(start(AudioSession(mixes: false)))
    expect(phone.set(.otherAudio(true)).last, is: .tell(.app, .audio(.interrupted)))
    #expect(phone.phone.assertions.isEmpty)
    expect(phone(start(AudioSession(mixes: false))), is: [.tell(.app, .audio(.refused(.otherPlays)))])
    expect(phone(start(AudioSession(mixes: true))), is: [.tell(.app, .audio(.plays))])
    _ = phone.set(.otherAudio(false), .otherAudio(true))
    #expect(phone.phone.assertions.contains(.audio))
  }

  @Test(.shows("M-1.7")) func `When another app's audio interrupts the app's, the app is suspended`() {
    var phone = TestPhone.withAppAtHome(audio: true)
    _ = phone(start(AudioSession(mixes: false)))
    #expect(!phone.pass(.seconds(3600)).contains(.suspend(.app)))
    #expect(phone.set(.otherAudio(true)).contains(.suspend(.app)))
  }

  @Test(.shows("M-1.5")) func `The app's audio ends with the app`() {
    var phone = Self.phone()
    _ = phone(start(AudioSession()))
    expect(phone.phone.audio.playing?.session, is: AudioSession())
    _ = phone(.processEnded(.app, .signalled(9)))
    #expect(phone.phone.audio.playing == nil)
  }

  @Test func `The phone accepts audio sessions of extreme lengths`() {
    var phone = Self.phone()
    for session in [AudioSession(loops: .max), AudioSession(loops: 0, rateHertz: 0, frames: .max)] {
      expect(phone(start(session)), is: [.tell(.app, .audio(.plays))])
    }
  }
}

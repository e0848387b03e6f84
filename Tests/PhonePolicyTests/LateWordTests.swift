import Ground
import Testing

@testable import PhonePolicy

/// What an app said just before it was stopped is heard when it is stopped: each question has an answer all the same.
@Suite("Words that are late") struct LateWordTests {
  private func stopped() -> TestPhone {
    var configuration = PhoneConfiguration()
    configuration.hasAudioMode = true
    var phone = TestPhone(configuration, limitsBackground: true)
    phone.openApp()
    _ = phone(.userWentHome)
    _ = phone(.backgroundDone())
    #expect(phone.passToDeadline() == [.suspend(.app)])
    return phone
  }

  @Test("A request for a background task counts, and the app reads so when it goes on") func submitted() {
    var phone = stopped()
    let directives = phone.submit(sync, .refresh)
    #expect(directives.toldTasks == [.accepted(identifier: sync)])
    #expect(directives.fates.first == .waits(.tooEarly))
    #expect(phone.phone.tasks.pending.count == 1)
    #expect(phone.phone.app == .suspended)
  }

  @Test("Time in the background is none any more, and nobody is woken to say so") func began() {
    var phone = stopped()
    #expect(phone(.taskBegan(id: 4, name: "late")) == [.tell(.app, .taskExpiring(id: 4))])
    #expect(phone(.taskEnded(id: 4)) == [])
    #expect(phone.phone.assertions.isEmpty)
    #expect(phone.phone.app == .suspended)
    #expect(phone.phone.deadline == nil)
  }

  @Test("Audio is refused, as nobody hears it") func audio() {
    var phone = stopped()
    #expect(
      phone(.audio(.startRequested(AudioSession()))) == [.tell(.app, .audio(.refused(.tooLate)))])
    #expect(phone.phone.audio.playing == nil)
  }

  @Test("Who is on its way out is answered too; who is gone is not") func ending() {
    var phone = TestPhone.withTasks()
    phone.useApp()
    _ = phone(.userQuit)
    #expect(phone.submit(sync, .refresh).toldTasks == [.accepted(identifier: sync)])
    #expect(phone(.taskBegan(id: 1, name: "late")) == [.tell(.app, .taskExpiring(id: 1))])
    _ = phone(.processEnded(.app, .exited(code: 0)))
    #expect(phone.submit(processing, .processing) == [])
    #expect(phone(.taskBegan(id: 2, name: "later")) == [])
    #expect(phone(.audio(.startRequested(AudioSession()))) == [])
  }
}

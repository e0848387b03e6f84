@testable import PhonePolicy

/// What an app sent just before it was suspended arrives after the suspension: each request still gets an answer.
@Suite("An app's messages that arrive after its suspension") struct LateMessageTests {
  private func stopped() -> TestPhone {
    var phone = TestPhone.withAppAtHome(audio: true)
    expect(phone.passToDeadline(), is: [.suspend(.app)])
    return phone
  }

  @Test func `A task request that arrives after the app's suspension is accepted, without waking the app`() {
    var phone = stopped()
    let directives = phone.submit(sync, .refresh)
    expect(directives.toldTasks, is: [.accepted(identifier: sync)])
    expect(directives.fates.first, is: .waits(.tooEarly))
    expect(phone.phone.tasks.pending.count, is: 1)
    expect(phone.phone.app, is: .suspended)
  }

  @Test
  func
    `A background task whose begin arrives after the app's suspension expires at once, without waking the app`()
  {
    var phone = stopped()
    expect(phone(.taskBegan(id: 4, name: "late")), is: [.tell(.app, .taskExpiring(id: 4))])
    expect(phone(.taskEnded(id: 4)), is: [])
    #expect(phone.phone.assertions.isEmpty)
    expect(phone.phone.app, is: .suspended)
    #expect(phone.phone.deadline == nil)
  }

  @Test func `An audio request that arrives after the app's suspension is refused as too late`() {
    var phone = stopped()
    expect(phone(.audio(.startRequested(AudioSession()))), is: [.tell(.app, .audio(.refused(.tooLate)))])
    #expect(phone.phone.audio.playing == nil)
  }

  @Test func `A terminating app still gets answers to its requests; an app that has ended gets none`() {
    var phone = TestPhone.withTasks()
    phone.useApp()
    _ = phone(.userQuit)
    expect(phone.submit(sync, .refresh).toldTasks, is: [.accepted(identifier: sync)])
    expect(phone(.taskBegan(id: 1, name: "late")), is: [.tell(.app, .taskExpiring(id: 1))])
    _ = phone(.processEnded(.app, .exited(code: 0)))
    expect(phone.submit(processing, .processing), is: [])
    expect(phone(.taskBegan(id: 2, name: "later")), is: [])
    expect(phone(.audio(.startRequested(AudioSession()))), is: [])
  }
}

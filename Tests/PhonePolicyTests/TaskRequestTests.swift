import Ground
import Testing

@testable import PhonePolicy

@Suite struct TaskRequestTests {
  @Test
  func
    `D-8.1, D-1.3 A task request whose identifier is not declared is refused, and the reason lists the declared ones`()
  {
    var phone = TestPhone.withTasks()
    phone.useApp()
    let told = phone.submit("com.example.other", .refresh).toldTasks
    let refusal = TaskRefusal.notPermitted(permitted: [sync, processing])
    #expect(told == [.refused(identifier: "com.example.other", refusal)])
    #expect(refusal.description.contains(sync))
    #expect(phone.phone.tasks.pending == [])
    #expect(phone.submit(sync, .refresh).toldTasks == [.accepted(identifier: sync)])
  }

  @Test
  func `D-1.1 A second task request with the same identifier replaces the waiting one`() {
    var phone = TestPhone.withTasks()
    phone.useApp()
    phone.submit(sync, .refresh)
    #expect(phone.submit(sync, .refresh, after: .seconds(7200)).fates == [.replaced, .waits(.tooEarly)])
    #expect(phone.phone.tasks.pending.map(\.number) == [2])
  }

  @Test
  func `At most one request for an app refresh and ten for processing tasks may wait, as on iOS`() {
    let names = (0..<11).map { "p\($0)" }
    var phone = TestPhone.withTasks { $0.tasks.permitted = names + ["r1", "r2"] }
    phone.useApp()
    for name in names.dropLast() {
      #expect(phone.submit(name, .processing).toldTasks == [.accepted(identifier: name)])
    }
    #expect(
      phone.submit("p10", .processing).toldTasks == [.refused(identifier: "p10", .tooMany(.processing))])
    phone.submit("r1", .refresh)
    #expect(phone.submit("r2", .refresh).toldTasks == [.refused(identifier: "r2", .tooMany(.refresh))])
    #expect(phone(.task(.cancelled(identifier: "r1"))).fates == [.cancelled])
    #expect(phone.submit("r2", .refresh).toldTasks == [.accepted(identifier: "r2")])
  }

  @Test
  func `M-2.5 With Background App Refresh off task requests are refused, and waiting ones go on waiting`() {
    var phone = TestPhone.withTasks()
    phone.useApp()
    phone.submit(sync, .refresh)
    _ = phone.set(.backgroundRefresh(false))
    #expect(phone.submit(sync, .refresh).toldTasks == [.refused(identifier: sync, .refreshOff)])
    phone.pass(.seconds(7200))
    #expect(phone.hindrance == .refreshOff)
    #expect(phone.set(.backgroundRefresh(true)).fates == [.runs(isByHand: false)])
  }

  @Test
  func `A task request with a negative delay is refused, one with an enormous delay waits for ever`() {
    var phone = TestPhone.withTasks()
    phone.useApp()
    let told = phone.submit(sync, .refresh, after: .seconds(-1)).toldTasks
    #expect(told == [.refused(identifier: sync, .badTime)])
    phone.submit(sync, .refresh, after: TimeSpan(nanoseconds: .max))
    phone.pass(.seconds(100_000_000))
    #expect(phone.hindrance == .tooEarly)
  }

  @Test
  func `At a power-off waiting task requests are lost, and no task starts`() {
    var phone = TestPhone.withTasks()
    phone.useApp()
    phone.submit(sync, .refresh)
    #expect(phone(.downRequested).fates == [.lost])
    #expect(phone.phone.tasks.pending == [])
    #expect(phone(.processEnded(.app, .exited(code: 0))).last == .powerOff)
  }

  @Test func `After a shift of its clock the phone schedules and expires the same tasks as without it`() {
    var phone = TestPhone.withTasks()
    phone.useApp()
    phone.submit(sync, .refresh)
    phone.submit(processing, .processing, after: .seconds(60))
    _ = phone.set(.charger(true), .locked)
    phone.pass(.seconds(90))
    #expect(phone.runs == [processing])
    var later = phone
    later.phone.shift(by: .seconds(500))
    later.now = later.now + .seconds(500)
    #expect(later.phone.deadline == phone.phone.deadline.map { $0 + .seconds(500) })
    let (ours, theirs) = (phone.pass(.seconds(7200)), later.pass(.seconds(7200)))
    #expect(ours == theirs)
    #expect(ours.fates.contains(.expired(.timeUp)))
  }
}

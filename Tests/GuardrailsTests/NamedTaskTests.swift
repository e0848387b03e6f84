@testable import Guardrails

/// A wallet that handles silent pushes under a background task of its own.
@Suite("The named background task of a silent push") struct NamedTaskTests {
  private let name = "ProcessIncomingHTLC"
  private let push = Push(id: 3, reason: .incomingPayment)
  private let owned = GuardEvent.rowRead(row(8, .app), appWantsNode: false)

  private func launched() -> Driver<AppMachine> {
    var app = Driver<AppMachine>()
    app.machine = AppMachine(configuration: GuardConfiguration(silentPushTask: name))
    app.play(.launched)
    return app
  }

  private func connected() -> Driver<AppMachine> {
    var app = launched()
    app.play(.silentPushArrived(push), .observed(observation(nil, lockIsBusy: false)))
    app.play(.claimed(claim(8)), .node(.connecting), owned, .node(.established), owned)
    return app
  }

  private func released(_ app: inout Driver<AppMachine>) -> [GuardDirective] {
    app.play(.node(.stopped))
    return app.send(owned)
  }

  @Test(.shows("B-1.5.1c")) func `The task begins with the push, before the look, and bears its name`() {
    var app = launched()
    expect(app.send(.silentPushArrived(push)), is: [.beginBackgroundTask(1, name: name), .look])
  }

  @Test(.shows("B-1.5.1c")) func `The task ends after the release and after the push's completion`() {
    var app = connected()
    app.play(.node(.busy(.settling)), .node(.received(payment)))
    expect(app.send(.node(.busy(.nothing))).last, is: .stopNode(gracefully: true))
    let end = released(&app)
    expect(end.suffix(2), is: [.completed(push: 3, .newData), .endBackgroundTask(1)])
    expect(end.firstIndex(of: .dropLock).map { $0 < end.count - 2 }, is: true)
    #expect(app.machine.deadline == nil)
  }

  @Test(.shows("B-1.5.1c"))
  func `A push that is over leaves pending work to the next owner, although there is a task`() {
    var app = connected()
    app.play(.node(.busy(.settling)))
    expect(app.send(.expiryWarned(push: 3)).last, is: .stopNode(gracefully: true))
    expect(released(&app).suffix(2), is: [.completed(push: 3, .noData), .endBackgroundTask(1)])
  }

  @Test(.shows("B-1.5.1c", "B-1.5.1d")) func `When the task expires the app stops the node and gives up`() {
    var app = connected()
    expect(app.send(.backgroundTimeExpired(task: 1)).last, is: .stopNode(gracefully: true))
    #expect(released(&app).contains(.endBackgroundTask(1)))
  }

  @Test func `When the user opens the app, push and task are over and the node goes on`() {
    var app = connected()
    let opened = app.send(.enteredForeground)
    expect(opened.prefix(2), is: [.completed(push: 3, .noData), .endBackgroundTask(1)])
    #expect(!opened.contains(.stopNode(gracefully: true)))
  }

  @Test func `A second push shares the task, and a push of nothing begins none`() {
    var app = launched()
    app.play(.silentPushArrived(push))
    expect(app.send(.silentPushArrived(Push(id: 4, reason: .incomingPayment))), is: [])
    app = launched()
    expect(app.send(.silentPushArrived(Push(id: 4, reason: .unreadable))), is: [.completed(push: 4, .noData)])
  }

  @Test func `A push during work begun in front begins no task beside that of the work`() {
    var app = launched()
    app.play(.enteredForeground, .observed(observation(nil, lockIsBusy: false)), .claimed(claim(8)))
    app.play(.node(.connecting), owned, .node(.established), owned, .node(.busy(.settling)))
    expect(app.send(.enteredBackground), is: [.beginBackgroundTask(1), .backgroundDone])
    expect(app.send(.silentPushArrived(push)), is: [])
    // The work goes on after the push.
    expect(app.send(.expiryWarned(push: 3)), is: [.completed(push: 3, .noData)])
  }

  @Test(.shows("B-S.2")) func `A scheduled task wants the node in the same way, without a task of its own`() {
    var app = launched()
    expect(app.send(.nodeWanted(run: 9, time: .seconds(25))), is: [.look])
    #expect(app.machine.deadline != nil)
    #expect(app.send(.runExpired(9)).last != nil)
  }
}

@testable import Guardrails

/// Which connections may be open: votes for all, and a veto against the peer.
@Suite("Connection votes") struct ConnectionGateTests {
  private func gate(
    background: Bool = false, tasks: Int = 0, network: Bool = true, barred: Bool = false
  ) -> ConnectionGate {
    ConnectionGate(isInBackground: background, tasks: tasks, isNetworkThere: network, isPeerBarred: barred)
  }

  @Test
  func `The foreground permits all connections, the background only with a task, a lost network none`() {
    expect(gate().open, is: ConnectionTarget.allCases)
    expect(gate(background: true).open, is: [])
    expect(gate(background: true, tasks: 1).open, is: ConnectionTarget.allCases)
    expect(gate(tasks: 3, network: false).open, is: [])
  }

  @Test func `Another process's ownership bars only the peer connection, regardless of tasks`() {
    for tasks in 0...5 {
      expect(gate(tasks: tasks, barred: true).open, is: [.electrum, .http, .tor])
      expect(gate(background: true, tasks: tasks, barred: true).mayOpen(.peer), is: false)
    }
  }

  @Test func `While the extension holds the node, the app may open all connections but the peer's`() {
    var app = Driver<AppMachine>()
    app.play(.launched)
    expect(app.mayConnect, is: [])
    app.play(.enteredForeground)
    expect(app.mayConnect, is: [.electrum, .http, .tor])
    let held = observation(row(7, .extension), lockIsBusy: true)
    app.play(.observed(held), .taskBegan(TaskBeginning(name: "send", generation: 1)))
    expect(app.mayConnect, is: [.electrum, .http, .tor])
  }

  @Test
  func `An owner may open all connections; without a network, or in the background without a task, none`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    expect(app.mayConnect, is: ConnectionTarget.allCases)
    app.play(.networkChanged(isThere: false))
    expect(app.mayConnect, is: [])
    app.play(.networkChanged(isThere: true), .enteredBackground)
    expect(app.mayConnect, is: [])
  }

  @Test(.shows("P-1.2"))
  func `In the background the app may have all connections while a task is pending, then none`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    let send = TaskBeginning(name: "send", generation: 1)
    app.play(.taskBegan(send), .enteredBackground)
    expect(app.mayConnect, is: ConnectionTarget.allCases)
    app.play(.taskEnded(send))
    expect(app.mayConnect, is: [])
  }
}

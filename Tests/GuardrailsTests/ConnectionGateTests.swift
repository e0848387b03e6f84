import Ground
import Heartbeat
import Testing

@testable import Guardrails

/// Which connections may be open: votes, and a veto that they do not outweigh.
@Suite("Connection votes") struct ConnectionGateTests {
  private func gate(
    background: Bool = false, tasks: Int = 0, network: Bool = true, barred: Bool = false
  ) -> ConnectionGate {
    ConnectionGate(isInBackground: background, tasks: tasks, isNetworkThere: network, isPeerBarred: barred)
  }

  @Test("In front all may be open, in the background none but for a task, without a network none at all")
  func votes() {
    #expect(gate().open == ConnectionTarget.allCases)
    #expect(gate(background: true).open == [])
    #expect(gate(background: true, tasks: 1).open == ConnectionTarget.allCases)
    #expect(gate(tasks: 3, network: false).open == [])
  }

  @Test("That another process has the node bars the peer alone, and no number of tasks outweighs it")
  func veto() {
    for tasks in 0...5 {
      #expect(gate(tasks: tasks, barred: true).open == [.electrum, .http, .tor])
      #expect(gate(background: true, tasks: tasks, barred: true).mayOpen(.peer) == false)
    }
  }

  @Test("The app says what may be open: all but the peer while the extension works")
  func whileTheExtensionWorks() {
    var app = Driver<AppMachine>()
    app.play(.launched)
    #expect(app.mayConnect == [])
    app.play(.enteredForeground)
    #expect(app.mayConnect == [.electrum, .http, .tor])
    let held = observation(row(7, .extension), lockIsBusy: true)
    app.play(.observed(held), .taskBegan(TaskBeginning(name: "send", generation: 1)))
    #expect(app.mayConnect == [.electrum, .http, .tor])
  }

  @Test("With the node all may be open; without a network none; and none when all is released")
  func owner() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    #expect(app.mayConnect == ConnectionTarget.allCases)
    app.play(.networkChanged(isThere: false))
    #expect(app.mayConnect == [])
    app.play(.networkChanged(isThere: true), .enteredBackground)
    #expect(app.mayConnect == [])
  }

  @Test("P-1.2 Nothing is closed in the background while a task is under way")
  func whileATaskGoesOn() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    let send = TaskBeginning(name: "send", generation: 1)
    app.play(.taskBegan(send), .enteredBackground)
    #expect(app.mayConnect == ConnectionTarget.allCases)
    app.play(.taskEnded(send))
    #expect(app.mayConnect == [])
  }
}

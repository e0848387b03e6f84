import Ground
import Heartbeat
import Testing

@testable import Guardrails

@Suite("The app's tasks for payments of the wallet's own") struct PaymentTaskTests {
  private func begun(_ payments: Bytes32...) -> PaymentTasks {
    var tasks = PaymentTasks()
    for payment in payments { _ = tasks.begin(payment, amountMsat: 1, for: "1") }
    return tasks
  }

  @Test("Two payments whose hashes begin alike have tasks of their own")
  func alike() throws {
    var tasks = PaymentTasks()
    let names = ["aaaaaaaa1", "aaaaaaaa2", "aaaaaaaa1"].map {
      tasks.begin(paymentHash($0), amountMsat: 1, for: "r")?.name
    }
    #expect(names == ["outgoing payment aaaaaaaa", "outgoing payment aaaaaaaa2", nil])
  }

  @Test("P-1.1 One payment has one task, and each beginning a number of its own") func once() {
    var tasks = PaymentTasks()
    let first = tasks.begin(paymentHash("0123456789"), amountMsat: 1, for: "1")
    #expect(first == TaskBeginning(name: "outgoing payment 01234567", generation: 1))
    #expect(tasks.begin(paymentHash("0123456789"), amountMsat: 1, for: "2") == nil)
    #expect(tasks.end(paymentHash("0123456789"))?.task == first)
    #expect(tasks.end(paymentHash("0123456789")) == nil)
    #expect(tasks.begin(paymentHash("0123456789"), amountMsat: 1, for: "3")?.generation == 2)
  }

  @Test("Who waits for the word is told once") func word() {
    var tasks = begun(paymentHash("a"))
    #expect(tasks.offered(paymentHash("a"))?.request == "1")
    #expect(tasks.offered(paymentHash("a"))?.request == nil)
    #expect(tasks.offered(paymentHash("b")) == nil)
    #expect(tasks.end(paymentHash("a"))?.request == nil)
  }

  @Test("What somebody else has ended has no task any more; what is still in the channel keeps it")
  func endedElsewhere() {
    let (ended, pending, asked) = (paymentHash("1"), paymentHash("2"), paymentHash("3"))
    var tasks = begun(ended, pending, asked)
    for payment in [ended, pending] { _ = tasks.offered(payment) }
    #expect(tasks.nodeStarted(pending: [pending, paymentHash("4")]).map(\.payment) == [ended])
    #expect(tasks.entries.map(\.payment) == [pending, asked])
    #expect(tasks.nodeStarted(pending: [pending]) == [])
  }

  @Test("An app that starts again begins no task: neither for what has ended, nor for what is still pending")
  func newLife() {
    var tasks = PaymentTasks()
    #expect(tasks.nodeStarted(pending: [paymentHash("1")]) == [])
    #expect(tasks.entries == [])
    var app = Driver<AppMachine>.connected(epoch: 8)
    #expect(app.machine.paymentTasks == [])
    app.play(.enteredBackground)
    #expect(app.machine.place == .leaving)
  }

  @Test("The app knows which of its tasks are for payments") func names() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    var tasks = PaymentTasks()
    guard let task = tasks.begin(paymentHash("0123456789"), amountMsat: 1, for: "1") else {
      return #expect(Bool(false))
    }
    app.play(.taskBegan(task), .taskBegan(TaskBeginning(name: "splice", generation: 1)))
    #expect(app.machine.paymentTasks == ["outgoing payment 01234567"])
    app.play(.taskEnded(task))
    #expect(app.machine.paymentTasks == [])
  }
}

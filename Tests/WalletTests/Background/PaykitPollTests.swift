@testable import Wallet

@Suite("A background task that needs the node") struct PaykitPollTests {
  private func polling() -> BackgroundWork {
    var work = BackgroundWork(configuration: .init(pollsPaykit: true))
    expect(
      work.handle(.runBegan(.paykitPoll, run: 7), at: seconds(0)),
      is: [.submit(.paykitPoll), .wantNode(run: 7, time: .seconds(25))])
    return work
  }

  private func completed(_ isSuccess: Bool, _ why: String) -> [BackgroundDirective] {
    [.complete(.paykitPoll, run: 7, isSuccess: isSuccess, why)]
  }

  @Test(.shows("B-S.4")) func `The next poll is submitted with each opening and with each run`() {
    var work = BackgroundWork(configuration: .init(pollsPaykit: true))
    expect(work.handle(.enteredForeground, at: seconds(0)), is: [.submit(.refresh), .submit(.paykitPoll)])
    expect(BackgroundTask.paykitPoll.identifier, is: "to.bitkit.paykit.poll")
    var phoenix = BackgroundWork(configuration: .init())
    expect(phoenix.handle(.enteredForeground, at: seconds(0)), is: [.submit(.refresh)])
    expect(
      phoenix.handle(.runBegan(.paykitPoll, run: 7), at: seconds(0)), is: completed(true, "nothing to do"))
  }

  @Test(.shows("B-S.4")) func `A ready node lets the task succeed once the guard has given the node back`() {
    var work = polling()
    expect(work.handle(.nodeReady, at: seconds(2)), is: [])
    expect(
      work.handle(.nodeServed(run: 7, .noData, isInFront: false), at: seconds(7)),
      is: completed(true, "the node was ready after 2000 ms; there is no Paykit directory to ask"))
    expect(work.handle(.nodeServed(run: 7, .noData, isInFront: false), at: seconds(7)), is: [])
  }

  @Test(.shows("B-S.4"))
  func `A node that another process has, or that fails, fails the task with the reason`() {
    var work = polling()
    expect(
      work.handle(.nodeServed(run: 7, .noData, isInFront: false), at: seconds(1)),
      is: completed(false, BackgroundWork.nodeNotFree))
    work = polling()
    _ = work.handle(.nodeHindered("the peer did not answer in time"), at: seconds(20))
    expect(
      work.handle(.nodeServed(run: 7, .failed, isInFront: false), at: seconds(20)),
      is: completed(false, "the peer did not answer in time"))
  }

  @Test(.shows("B-S.4", "G-4")) func `In front the wait is bounded by twenty seconds`() {
    var work = polling()
    expect(work.handle(.nodeServed(run: 7, .noData, isInFront: true), at: seconds(0)), is: [])
    expect(work.deadline, is: seconds(20))
    expect(work.handle(.deadlineReached, at: seconds(19)), is: [])
    expect(
      work.handle(.deadlineReached, at: seconds(20)),
      is: completed(false, "the node was not ready within 20 s"))
    work = polling()
    _ = work.handle(.nodeServed(run: 7, .noData, isInFront: true), at: seconds(0))
    expect(work.handle(.nodeReady, at: seconds(3)).count, is: 1)
    expect(work.runs, is: [])
  }

  @Test func `When the phone's time is up the guard gives the node back first`() {
    var work = polling()
    expect(work.handle(.runExpires(run: 7), at: seconds(9)), is: [.giveUpNode(run: 7)])
    expect(
      work.handle(.nodeServed(run: 7, .failed, isInFront: false), at: seconds(9)),
      is: completed(false, "the time that iOS gives the run is up"))
  }
}

import DaemonRuntime

/// Carries actions out beside an event loop: one after the other in a lane, on a thread of its own.
package final class LiveLanes {
  private let hand: LiveHand
  private let threads: [LiveAction.Lane: SideThread]
  private var underWay: [LiveAction.Lane: Int] = [:]

  package init(_ phone: Phone, loop: EventLoop) {
    hand = LiveHand(phone)
    threads = [LiveAction.Lane: SideThread](
      uniqueKeysWithValues: LiveAction.Lane.allCases.map { ($0, SideThread(loop: loop)) })
  }

  package func waiting(in lane: LiveAction.Lane) -> Int { underWay[lane] ?? 0 }

  package func perform(
    _ action: LiveAction, then done: @escaping (LiveOutcome) -> Void
  ) throws(SystemError) {
    let hand = hand
    try threads[action.lane]?.perform({ hand.perform(action) }) { [unowned self] outcome in
      underWay[action.lane, default: 0] -= 1
      done(outcome)
    }
    underWay[action.lane, default: 0] += 1
  }
}

import Ground

/// The handler of silent pushes: connect, receive pending payments, finish.
public struct SilentPushHandler: Hashable, Sendable {
  /// How long to wait for a payment after connecting, and in total, of the phone's 30 s.
  static let quiet = TimeSpan.seconds(5)
  static let patience = TimeSpan.seconds(25)
  /// The part of the phone's time that is kept for the release, if the phone gives enough.
  static let reserve = TimeSpan.seconds(5)

  /// The pushes that are not completed yet.
  private(set) var pushes: [UInt64] = []
  private(set) var isOver = true
  private var hasReceived = false
  private var quietEnds: Instant?
  private var patienceEnds: Instant?
  /// The last error.
  private var trouble: SilentPushFailure?
  /// The failure reason.
  private var failure: SilentPushFailure?

  /// While the node is busy, only the total time ends the wait.
  func deadline(isBusy: Bool) -> Instant? {
    isOver ? nil : [isBusy ? nil : quietEnds, patienceEnds].compactMap { $0 }.min()
  }

  mutating func begin(_ push: UInt64, time: TimeSpan?, isEstablished: Bool, at now: Instant) {
    let ends = now + Self.patience(of: time)
    patienceEnds = isOver ? ends : min(patienceEnds ?? ends, ends)
    pushes.append(push)
    quietEnds = isEstablished ? now + Self.quiet : nil
    isOver = false
  }

  /// 25 s of 30; at least half if the phone gives less.
  static func patience(of time: TimeSpan?) -> TimeSpan {
    guard let time else { return patience }
    let rest = TimeSpan(nanoseconds: time.nanoseconds - reserve.nanoseconds)
    return min(patience, max(rest, TimeSpan(nanoseconds: time.nanoseconds / 2)))
  }

  mutating func note(_ event: GuardEvent, isBusy: Bool, at now: Instant) {
    if let sentence = event.lossOfContainer {
      fail(of: .container(.lost(sentence)))
      return giveUp()
    }
    switch event {
    case .node(.established):
      quietEnds = now + Self.quiet
      trouble = nil
    // The connection is lost: no payment can come before the next one.
    case .node(.connecting), .node(.stopped), .node(.fenced): quietEnds = nil
    case .claimed: trouble = nil
    // All pending payments are received.
    case .node(.busy): if !isBusy, hasReceived { giveUp() }
    case .node(.received): hasReceived = true
    case .node(.trouble(let sentence)): trouble = .node(sentence)
    case .lookFailed(let why), .claimFailed(let why), .rowReadFailed(let why): trouble = .container(why)
    case .deadlineReached: if let deadline = deadline(isBusy: isBusy), deadline <= now { timeOut() }
    default: break
    }
  }

  /// Stops waiting.
  mutating func giveUp() { isOver = true }

  /// The time is over: failed if the app is not connected, else without data.
  mutating func timeOut() {
    if !isOver, quietEnds == nil { fail(of: trouble ?? .peerDidNotAnswer) }
    giveUp()
  }

  /// Fails before the time is over.
  mutating func end(of failure: SilentPushFailure) {
    guard !isOver else { return }
    fail(of: failure)
    giveUp()
  }

  private mutating func fail(of why: SilentPushFailure) { failure = failure ?? why }

  /// Each push once, when everything is released.
  mutating func complete() -> [GuardDirective] {
    defer { self = SilentPushHandler() }
    guard !hasReceived, let failure else {
      return pushes.map { .completed(push: $0, hasReceived ? .newData : .noData) }
    }
    return (pushes.isEmpty ? [] : [.noteFailure(failure)]) + pushes.map { .completed(push: $0, .failed) }
  }
}

extension SilentPushHandler: Shiftable {
  package mutating func shift(by span: TimeSpan) {
    quietEnds.shift(by: span)
    patienceEnds.shift(by: span)
  }
}

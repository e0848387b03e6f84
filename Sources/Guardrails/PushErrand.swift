import Ground

/// What a silent push wakes the app for: to connect, receive what waits, and be gone.
public struct PushErrand: Hashable, Sendable {
  /// How long after connecting a payment is waited for; and all in all, of the 30 s that the phone gives.
  static let quiet = TimeSpan.seconds(5)
  static let patience = TimeSpan.seconds(25)
  /// What is left of the phone's time for releasing everything, if it gives that much.
  static let reserve = TimeSpan.seconds(5)

  /// Those that the phone waits to hear of.
  private(set) var pushes: [UInt64] = []
  private(set) var isOver = true
  private var hasReceived = false
  private var quietEnds: Instant?
  private var patienceEnds: Instant?
  /// What was in its way last.
  private var trouble: SilentPushFailure?
  /// It has come to nothing, and of what.
  private var failure: SilentPushFailure?

  /// A node that is busy is waited for although nothing new comes.
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

  /// 25 s of 30. A phone that gives little gets its word in time all the same.
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
    // The connection is lost: nothing can come before the next one.
    case .node(.connecting), .node(.stopped), .node(.fenced): quietEnds = nil
    case .claimed: trouble = nil
    // All that was waiting came at once.
    case .node(.busy): if !isBusy, hasReceived { giveUp() }
    case .node(.received): hasReceived = true
    case .node(.trouble(let sentence)): trouble = .node(sentence)
    case .lookFailed(let why), .claimFailed(let why), .rowReadFailed(let why): trouble = .container(why)
    case .deadlineReached: if let deadline = deadline(isBusy: isBusy), deadline <= now { giveUpInVain() }
    default: break
    }
  }

  /// Nothing more is waited for.
  mutating func giveUp() { isOver = true }

  /// The time is over. One that was never connected has failed; one that is has seen that nothing came.
  mutating func giveUpInVain() {
    if !isOver, quietEnds == nil { fail(of: trouble ?? .peerDidNotAnswer) }
    giveUp()
  }

  /// There is no way on, whatever time is left.
  mutating func end(of failure: SilentPushFailure) {
    guard !isOver else { return }
    fail(of: failure)
    giveUp()
  }

  private mutating func fail(of why: SilentPushFailure) { failure = failure ?? why }

  /// Each push once, when everything is released.
  mutating func complete() -> [GuardDirective] {
    defer { self = PushErrand() }
    guard !hasReceived, let failure else {
      return pushes.map { .completed(push: $0, hasReceived ? .newData : .noData) }
    }
    return (pushes.isEmpty ? [] : [.noteFailure(failure)]) + pushes.map { .completed(push: $0, .failed) }
  }
}

extension PushErrand: Shiftable {
  package mutating func shift(by span: TimeSpan) {
    quietEnds.shift(by: span)
    patienceEnds.shift(by: span)
  }
}

import Ground

/// What needs the app's node in the background for a time.
public enum BackgroundNeed: Hashable, Codable, Sendable {
  case push(UInt64)
  /// A scheduled run.
  case run(UInt64)

  func met(_ outcome: SilentPushOutcome) -> GuardDirective {
    switch self {
    case .push(let push): .phone(.completed(push: push, outcome))
    case .run(let run): .wallet(.runServed(run, outcome))
    }
  }
}

/// The handler of silent pushes: connect, receive pending payments, finish.
public struct SilentPushHandler: Hashable, Sendable {
  /// How long to wait for a payment after connecting, and in total, of the phone's 30 s.
  static let idleTime = TimeSpan.seconds(5)
  static let totalTime = TimeSpan.seconds(25)
  /// The part of the phone's time that is kept for the release, if the phone gives enough.
  static let reserve = TimeSpan.seconds(5)

  /// Those that are not met yet.
  private(set) var needs: [BackgroundNeed] = []
  private(set) var isOver = true
  private var hasReceived = false
  private var idleEnds: Instant?
  private var totalEnds: Instant?
  /// The last error.
  private var trouble: SilentPushFailure?
  /// The failure reason.
  private var failure: SilentPushFailure?

  /// While the node is busy, only the total time ends the wait.
  func deadline(isBusy: Bool) -> Instant? {
    isOver ? nil : [isBusy ? nil : idleEnds, totalEnds].compactMap { $0 }.min()
  }

  mutating func begin(_ need: BackgroundNeed, time: TimeSpan?, isEstablished: Bool, at now: Instant) {
    let ends = now + Self.totalTime(of: time)
    totalEnds = isOver ? ends : min(totalEnds ?? ends, ends)
    needs.append(need)
    idleEnds = isEstablished ? now + Self.idleTime : nil
    isOver = false
  }

  /// Met with the others, without waiting for a payment.
  mutating func join(_ need: BackgroundNeed) { needs.append(need) }

  /// 25 s of 30; at least half if the phone gives less.
  static func totalTime(of time: TimeSpan?) -> TimeSpan {
    guard let time else { return totalTime }
    let rest = TimeSpan(nanoseconds: time.nanoseconds - reserve.nanoseconds)
    return min(totalTime, max(rest, TimeSpan(nanoseconds: time.nanoseconds / 2)))
  }

  mutating func note(_ event: GuardEvent, isBusy: Bool, at now: Instant) {
    if let sentence = event.lossOfContainer {
      fail(of: .container(.lost(sentence)))
      return stopWaiting()
    }
    switch event {
    case .node(.established):
      idleEnds = now + Self.idleTime
      trouble = nil
    // The connection is lost: no payment can come before the next one.
    case .node(.connecting), .node(.stopped), .node(.fenced): idleEnds = nil
    case .claimed: trouble = nil
    // All pending payments are received.
    case .node(.busy): if !isBusy, hasReceived { stopWaiting() }
    case .node(.received): hasReceived = true
    case .node(.trouble(let sentence)): trouble = .node(sentence)
    case .lookFailed(let why), .claimFailed(let why), .rowReadFailed(let why): trouble = .container(why)
    case .deadlineReached: if let deadline = deadline(isBusy: isBusy), deadline <= now { timeOut() }
    default: break
    }
  }

  mutating func stopWaiting() { isOver = true }

  /// The time is over: failed if the app is not connected, else without data.
  mutating func timeOut() {
    if !isOver, idleEnds == nil { fail(of: trouble ?? .peerDidNotAnswer) }
    stopWaiting()
  }

  /// Fails before the time is over.
  mutating func end(of failure: SilentPushFailure) {
    guard !isOver else { return }
    fail(of: failure)
    stopWaiting()
  }

  private mutating func fail(of why: SilentPushFailure) { failure = failure ?? why }

  /// Each need once, when everything is released.
  mutating func complete() -> [GuardDirective] {
    defer { self = SilentPushHandler() }
    guard !hasReceived, let failure else {
      return needs.map { $0.met(hasReceived ? .newData : .noData) }
    }
    return (needs.isEmpty ? [] : [.phone(.noteFailure(failure))]) + needs.map { $0.met(.failed) }
  }
}

extension SilentPushHandler: Shiftable {
  package mutating func shift(by span: TimeSpan) {
    idleEnds.shift(by: span)
    totalEnds.shift(by: span)
  }
}

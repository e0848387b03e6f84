import Ground
import Guardrails

/// Phoenix's extension, after its public source: it connects at once, beats once it is connected, and yields only if
/// the app's message comes before that.
public struct PhoenixExtension: OtherMachine {
  static let totalTime = TimeSpan.milliseconds(29_500)
  static let idleTime = TimeSpan.seconds(5)
  static let beatInterval = TimeSpan.seconds(2)

  private struct Serving: Hashable, Sendable {
    var push: Push
    var totalEnds: Instant
    var idleEnds: Instant?
    var received: [ReceivedPayment] = []

    var endsBy: Instant { min(totalEnds, idleEnds ?? totalEnds) }
  }

  private var serving: Serving?
  private var waiting: [Push] = []
  private var isNodeRunning = false
  private var isConnected = false
  private var nextBeat: Instant?
  private var presence = Presence(role: .extension)
  private var isEnding = false
  private(set) var entry: Entry?

  public init() {}

  var isKeptWaiting: Bool { false }

  var deadline: Instant? { [serving?.endsBy, nextBeat].compactMap { $0 }.min() }

  mutating func handle(_ event: GuardEvent, at now: Instant) -> [GuardDirective] {
    switch event {
    case .pushArrived(let push):
      waiting.append(push)
      return serveNext(at: now)
    case .presenceHeard(let message): return heard(message, at: now)
    case .node(let report): return node(report, at: now)
    case .deadlineReached: return deadlineReached(at: now)
    case .expiryWarned(let push) where push == serving?.push.id: return finish(.timeWillExpire, at: now)
    case .terminationRequested:
      isEnding = true
      return serving == nil ? [.end(.terminated)] : finish(.terminated, at: now)
    default: return []
    }
  }

  private mutating func serveNext(at now: Instant) -> [GuardDirective] {
    guard serving == nil, !isNodeRunning, !waiting.isEmpty else { return [] }
    let push = waiting.removeFirst()
    serving = Serving(push: push, totalEnds: now + Self.totalTime)
    guard push.reason != .unreadable else { return finish(.unreadablePush, at: now) }
    isNodeRunning = true
    entry = .didNotLook
    return say(presence.resume()) + [.startNode(.ofOthers)]
  }

  /// The app runs: the extension finishes, unless it is connected already.
  private mutating func heard(_ message: PresenceMessage, at now: Instant) -> [GuardDirective] {
    guard case .counts(let answer) = presence.heard(message.code) else { return [] }
    let isThere = message.code.kind != .unavailable
    return say(answer) + (isThere && !isConnected ? finish(.appWantsNode, at: now) : [])
  }

  private mutating func node(_ report: NodeReport, at now: Instant) -> [GuardDirective] {
    switch report {
    case .established:
      isConnected = true
      guard nextBeat == nil, serving != nil else { return [] }
      return beat(at: now)
    case .connecting: isConnected = false
    case .received(let payment):
      serving?.received.append(payment)
      serving?.idleEnds = now + Self.idleTime
    case .stopped:
      isNodeRunning = false
      isConnected = false
      return isEnding ? [.end(.terminated)] : serveNext(at: now)
    case .busy, .fenced, .refused, .trouble: break
    }
    return []
  }

  /// Beats continue when the connection is lost.
  private mutating func beat(at now: Instant) -> [GuardDirective] {
    nextBeat = now + Self.beatInterval
    return [.beat(epoch: 1, phase: .established, counter: 0)]
  }

  private mutating func deadlineReached(at now: Instant) -> [GuardDirective] {
    if let current = serving, current.endsBy <= now {
      return finish(current.totalEnds <= now ? .totalTime : .idle, at: now)
    }
    guard let nextBeat, nextBeat <= now else { return [] }
    return beat(at: now)
  }

  /// The last beat is not erased.
  private mutating func finish(_ reason: FinishReason, at now: Instant) -> [GuardDirective] {
    guard let finished = serving else { return [] }
    serving = nil
    nextBeat = nil
    let contents: [GuardDirective] =
      finished.received.isEmpty
      ? [.deliver(push: finished.push.id, .nothingReceived(finished.push.reason))]
      : [.deliver(push: finished.push.id, .received(finished.received[0]))]
        + finished.received.dropFirst().map { .notify($0) }
    return say(presence.suspend()) + (isNodeRunning ? [.stopNode(gracefully: false)] : []) + contents
      + [.finished(push: finished.push.id, reason)]
      + (isEnding && !isNodeRunning ? [.end(.terminated)] : serveNext(at: now))
  }

  private func say(_ code: PresenceCode?) -> [GuardDirective] {
    code.map { [.say(PresenceMessage(code: $0))] } ?? []
  }
}

extension PhoenixExtension: Shiftable {
  public mutating func shift(by span: TimeSpan) {
    serving?.totalEnds.shift(by: span)
    serving?.idleEnds.shift(by: span)
    nextBeat.shift(by: span)
  }
}

import Ground
import Lightning

/// The state of one connection of the node; dropped when the connection ends.
struct NodeConnection: Hashable, Sendable {
  /// A connection that lasted this long resets the pauses between dials. Without the limit a peer that disconnects
  /// right after `channel_reestablish` would be dialled ten times a second.
  private static let provenAfter = TimeSpan.seconds(1)
  /// A peer that sends this many messages while a step is being stored does not wait for our answers as the protocol
  /// demands: 30 HTLCs with their commitments are fewer. With the largest messages it is 8 MB, within the
  /// extension's limit.
  static let inboxLimit = 128
  static let inboxExcess = "the peer sent more than \(inboxLimit) messages during one write"

  /// When a message of the peer showed that it accepts our `channel_reestablish`: from then on the channel is in
  /// use.
  private var establishedAt: Instant?
  private var chatter = RateLimit(per: Chatter.window)
  /// BOLT 7 messages, and ends of holds.
  private var gossip = RateLimit(per: Chatter.window)
  private var silence: Silence?
  /// Messages received while a step is being stored.
  private var inbox: [Message] = []
  /// When the connection is closed, unless the splice makes progress.
  var spliceStallsAt: Instant?

  var isEstablished: Bool { establishedAt != nil }

  mutating func establish(at now: Instant) { establishedAt = now }

  func isProven(at now: Instant) -> Bool {
    establishedAt.map { now - $0 >= Self.provenAfter } ?? false
  }

  // MARK: Messages

  /// Counts the message; the limit that it exceeds, in words.
  mutating func excess(_ message: Message, _ rules: ConnectionRules, at now: Instant) -> String? {
    if message.isNumerous, !gossip.takes(of: Chatter.gossipLimit, at: now) {
      return Chatter.excess(Chatter.gossipLimit)
    }
    return message.isUnneeded ? excess(rules, at: now) : nil
  }

  /// Counts one ignorable message.
  mutating func excess(_ rules: ConnectionRules, at now: Instant) -> String? {
    chatter.takes(of: rules.chatter, at: now) ? nil : Chatter.excess(rules.chatter)
  }

  /// False if the inbox is full: the peer does not wait for answers.
  mutating func keep(_ message: Message) -> Bool {
    guard inbox.count < Self.inboxLimit else { return false }
    inbox.append(message)
    return true
  }

  /// In the order of arrival.
  mutating func takeKept() -> Message? { inbox.isEmpty ? nil : inbox.removeFirst() }

  // MARK: Silence

  /// Nil: silence is not measured.
  mutating func heard(at now: Instant?) { silence = now.map { Silence(since: $0) } }

  func silenceEndsAt(_ rules: ConnectionRules) -> Instant? {
    silence.flatMap { silence in rules.silence.map { silence.since + $0 } }
  }

  /// False if the peer has answered no ping, and the connection is to be closed.
  mutating func ping(at now: Instant, due end: Instant) -> Bool {
    guard let next = silence?.pinged(at: now, due: end) else { return false }
    silence = next
    return true
  }
}

extension NodeConnection: Shiftable {
  mutating func shift(by span: TimeSpan) {
    establishedAt.shift(by: span)
    chatter.shift(by: span)
    gossip.shift(by: span)
    silence?.shift(by: span)
    spliceStallsAt.shift(by: span)
  }

  /// Moves instants that are too old to matter forward, so that equivalent states are equal.
  mutating func forgetLongAgo(at now: Instant) {
    establishedAt = establishedAt.map { max($0, now - Self.provenAfter) }
    chatter.forgetLongAgo(at: now)
    gossip.forgetLongAgo(at: now)
  }
}

extension Message {
  fileprivate var isUnneeded: Bool {
    if case .peerStorage = self { true } else { isChatter }
  }
}

import Ground
import LightningWire

/// What belongs to one connection of the node, and is gone with it.
struct NodeConnection: Hashable, Sendable {
  /// A connection that held this long shows that dialling again is worth while; before, a peer that greets well and
  /// then breaks off would be dialled ten times a second.
  private static let provenAfter = TimeSpan.seconds(1)
  /// A peer that sends this much while a step is being stored is not waiting for us as the protocol demands: 30 HTLCs
  /// with what belongs to them are less. Of the largest messages it is 8 MB, which the extension bears.
  static let inboxLimit = 128

  /// When the peer showed that it takes our `channel_reestablish`: from then on the channel runs.
  private var establishedAt: Instant?
  private var chatter = Chatter()
  /// Announcements and updates of the network.
  private var gossip = Chatter()
  private var silence: Silence?
  /// What has come while a step is being stored.
  private var inbox: [Message] = []
  /// When the connection is given up, unless the splice on it gets further.
  var spliceStallsAt: Instant?

  var isEstablished: Bool { establishedAt != nil }

  mutating func establish(at now: Instant) { establishedAt = now }

  func isProven(at now: Instant) -> Bool {
    establishedAt.map { now - $0 >= Self.provenAfter } ?? false
  }

  // MARK: Messages

  /// What is too much, with this message.
  mutating func excess(_ message: Message, _ rules: ConnectionRules, at now: Instant) -> String? {
    if message.isGossip, gossip.isTooMuch(Chatter.gossipLimit, at: now) {
      return Chatter.complaint(Chatter.gossipLimit)
    }
    return message.isUnneeded ? excess(rules, at: now) : nil
  }

  /// With one more that nobody needs.
  mutating func excess(_ rules: ConnectionRules, at now: Instant) -> String? {
    chatter.isTooMuch(rules.chatter, at: now) ? Chatter.complaint(rules.chatter) : nil
  }

  /// False: the peer does not wait for answers.
  mutating func keep(_ message: Message) -> Bool {
    guard inbox.count < Self.inboxLimit else { return false }
    inbox.append(message)
    return true
  }

  /// In the order in which they came.
  mutating func takeKept() -> Message? { inbox.isEmpty ? nil : inbox.removeFirst() }

  // MARK: Silence

  /// Nil: nobody counts its silence.
  mutating func heard(at now: Instant?) { silence = now.map { Silence(since: $0) } }

  func silenceEndsAt(_ rules: ConnectionRules) -> Instant? {
    silence.flatMap { silence in rules.silence.map { silence.since + $0 } }
  }

  /// False: the peer is given up, as it has answered no ping.
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

  /// What lies so far back that it makes no difference any more is as if it were a little younger.
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

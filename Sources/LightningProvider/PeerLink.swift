import Ground
import Crypto
import Lightning

/// One connection of the LSP.
struct PeerLink: Hashable, Codable, Sendable {
  enum State: Hashable, Codable, Sendable {
    /// Only `init` is processed. → registered, visiting, refused
    case awaitingInit
    /// The wallet's one connection. → evicted, failed
    case registered
    /// An unknown node, without a channel: only its pings are answered. → failed
    case visiting
    /// Its fence was refused. Final.
    case refused
    /// Replaced by a newer connection, or closed to make room for one. Final.
    case evicted
    /// The node broke the protocol, or one end lost data. Final.
    case failed
  }

  var id: UInt64
  var node: PublicKey?
  /// The time limit for `init`: a silent connection takes a place that the wallet may need.
  var initBy: Instant
  var state = State.awaitingInit
  /// A backup was received.
  var hasBackedUp = false
  var chatter = RateLimit(per: Chatter.window)
  /// BOLT 7 messages, and ends of holds.
  var gossip = RateLimit(per: Chatter.window)
  /// Measured from the first message on.
  var silence: Silence?

  /// Whether its messages are still processed.
  var isOpen: Bool { state == .awaitingInit || state == .registered || state == .visiting }

  /// Before `init` every other message counts, and from an unknown node every message.
  func isChatter(_ message: Message) -> Bool {
    if message.isGossip { return message.isChatter }
    if state == .visiting { return true }
    guard state == .awaitingInit else { return message.isChatter }
    if case .initMessage = message { return false }
    return true
  }

  /// Why a message is not processed.
  var whyIgnored: String {
    switch state {
    case .awaitingInit: "it came before init"
    case .registered, .visiting: "it needs no answer"
    case .refused: "its connection is refused"
    case .evicted: "its connection is evicted"
    case .failed: "its connection has failed"
    }
  }
}

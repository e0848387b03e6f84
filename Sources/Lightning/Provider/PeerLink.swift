import Ground
import Crypto
import LightningWire

/// One connection as the provider sees it.
struct PeerLink: Hashable, Codable, Sendable {
  enum State: Hashable, Codable, Sendable {
    /// Nothing is acted on but `init`. → registered, visiting, refused
    case initMessage
    /// The one connection that speaks for the wallet. → evicted, failed
    case registered
    /// A node with which there is no channel: it is answered when it pings, and that is all. → failed
    case visiting
    /// Its `init` came too late. Nothing follows.
    case refused
    /// A newer connection took its place, or needed it. Nothing follows.
    case evicted
    /// It broke the protocol, or one end lost data. Nothing follows.
    case failed
  }

  var id: UInt64
  var node: PublicKey?
  /// Until then `init` must have come: whoever stays silent keeps a place from the wallet.
  var initBy: Instant
  var state = State.initMessage
  /// A backup came on it.
  var hasBackedUp = false
  var chatter = Chatter()
  /// Announcements and updates of the network.
  var gossip = Chatter()
  /// From its first message on.
  var silence: Silence?

  /// Whether it may still say something.
  var isOpen: Bool { state == .initMessage || state == .registered || state == .visiting }

  /// Before its `init` everything else is; of a visitor everything, as nobody needs any of it.
  func isChatter(_ message: Message) -> Bool {
    if message.isGossip { return message.isChatter }
    if state == .visiting { return true }
    guard state == .initMessage else { return message.isChatter }
    if case .initMessage = message { return false }
    return true
  }

  /// Why a message from it is not acted on.
  var whyIgnored: String {
    switch state {
    case .initMessage: "it came before init"
    case .registered, .visiting: "it needs no answer"
    case .refused: "its connection is refused"
    case .evicted: "its connection is evicted"
    case .failed: "its connection has failed"
    }
  }
}

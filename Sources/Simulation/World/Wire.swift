import Ground
import Guardrails
import LightningWire

/// One connection between a node and the peer: what was sent and not read yet, in both directions.
struct Wire: Hashable, Sendable {
  struct Packet: Hashable, Sendable {
    var message: Message
    /// The state that it speaks of was durable under its sender's claim, and the claim was not yet superseded then.
    var isSound: Bool
  }

  let id: UInt64
  /// The process that dialled.
  var owner: Int32
  var toPeer: ArraySlice<Packet> = []
  var toWallet: ArraySlice<Message> = []
  var isAccepted = false
  /// Nothing more comes from the wallet: it hung up, or is gone.
  var isShutByWallet = false
  /// Nobody reads at the wallet's end any more.
  var isAbandoned = false
  /// Nothing more comes from the peer.
  var isShutByPeer = false
  /// The peer's side knows of the end.
  var isOverForPeer = false
  /// The wallet has spoken of its channel on it: from here on it drives the node.
  var isDriven = false
  /// What the wallet sends is under way for a while: the peer may read it at any moment, and time passes.
  var isSlow = false

  /// There is something for the peer to read, or to notice.
  var isReadableForPeer: Bool { !isOverForPeer && (!toPeer.isEmpty || isShutByWallet) }
}

/// A presence message on its way, or the notice that the other process ended.
struct Letter: Hashable, Sendable {
  var to: Role
  var event: GuardEvent
  /// It is under way for a while: time passes, and it may be read at any moment.
  var isLate = false
}

import Ground
import Guardrails
import Lightning

/// One connection between a node and the peer, with unread messages in both directions.
struct Wire: Hashable, Sendable {
  struct Packet: Hashable, Sendable {
    var message: Message
    /// The channel state behind the message was durable under its sender's claim, and that claim was in force.
    var isSound: Bool
    /// An `init` that moves the wallet to the sender's device, at the user's request.
    var isAskedMove = false
  }

  let id: UInt64
  /// The process that dialled.
  var owner: Int32
  /// Of the process that dialled.
  let container: ContainerID
  var toPeer: ArraySlice<Packet> = []
  var toWallet: ArraySlice<Message> = []
  var isAccepted = false
  /// The wallet sends nothing more: it disconnected or ended.
  var isShutByWallet = false
  /// No process reads at the wallet's end any more.
  var isAbandoned = false
  /// The peer sends nothing more.
  var isShutByPeer = false
  /// The peer has handled the end of the connection.
  var isOverForPeer = false
  /// The wallet has sent `channel_reestablish`: from here on it drives the node.
  var isDriven = false
  /// The wallet's messages may arrive at any later moment, also after time has passed.
  var isSlow = false

  /// The peer can read a packet or the end.
  var isReadableForPeer: Bool { !isOverForPeer && (!toPeer.isEmpty || isShutByWallet) }
}

/// A presence message in flight, or the notice that the other process ended.
struct QueuedPresence: Hashable, Sendable {
  var to: Role
  var event: GuardEvent
  /// It may be read at any later moment, also after time has passed.
  var isLate = false
}

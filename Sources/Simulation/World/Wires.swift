import Ground
import Guardrails
import Lightning

/// The connections between nodes and the peer.
struct Wires: Hashable, Sendable {
  private(set) var all: [Wire] = []

  subscript(id: UInt64) -> Wire? { all.first { $0.id == id } }

  private mutating func change(_ id: UInt64?, _ change: (inout Wire) -> Void) {
    if let index = all.firstIndex(where: { $0.id == id }) { change(&all[index]) }
  }

  // MARK: The wallet's end

  mutating func dial(_ id: UInt64, by owner: Int32, of container: ContainerID) {
    all.append(Wire(id: id, owner: owner, container: container))
  }

  mutating func send(_ packet: Wire.Packet, on id: UInt64) { change(id) { $0.toPeer.append(packet) } }

  mutating func drive(_ id: UInt64) { change(id) { $0.isDriven = true } }

  mutating func accept(_ id: UInt64) { change(id) { $0.isAccepted = true } }

  mutating func readByWallet(_ id: UInt64) -> Message? {
    var message: Message?
    change(id) { message = $0.toWallet.popFirst() }
    return message
  }

  mutating func hangUp(_ id: UInt64) { change(id) { $0.isShutByWallet = true } }

  /// The process ended or cut the connection; sent messages still arrive.
  mutating func abandon(_ id: UInt64) {
    change(id) {
      $0.isShutByWallet = true
      $0.isAbandoned = true
      $0.toWallet = []
    }
    forgetDead()
  }

  /// The phone has suspended the process: sent messages still arrive, and nothing is received any more.
  mutating func suspend(_ id: UInt64) {
    change(id) {
      $0.toWallet = []
      $0.isShutByWallet = true
      $0.isShutByPeer = true
    }
  }

  /// Replaces the pid of an ended process by `placeholder`.
  mutating func forget(_ owner: Int32, for placeholder: Int32) {
    for index in all.indices where all[index].owner == owner { all[index].owner = placeholder }
  }

  // MARK: The peer's end

  mutating func readByPeer(_ id: UInt64) -> Wire.Packet? {
    var packet: Wire.Packet?
    change(id) { packet = $0.toPeer.popFirst() }
    return packet
  }

  mutating func deliver(_ message: Message, on id: UInt64) {
    change(id) { if !$0.isAbandoned && !$0.isShutByPeer { $0.toWallet.append(message) } }
  }

  /// The wallet still reads what was sent, then the end. False if the connection was over for the peer already.
  mutating func endForPeer(_ id: UInt64) -> Bool {
    guard self[id]?.isOverForPeer == false else { return false }
    change(id) { $0.endForPeer() }
    forgetDead()
    return true
  }

  mutating func endAllForPeer() {
    for index in all.indices where !all[index].isOverForPeer { all[index].endForPeer() }
    forgetDead()
  }

  /// Drops connections that have ended on both sides.
  private mutating func forgetDead() { all.removeAll { $0.isAbandoned && $0.isOverForPeer } }

  // MARK: The network

  /// Drops everything in flight.
  mutating func lose(_ id: UInt64) {
    change(id) {
      $0.toPeer = []
      $0.toWallet = []
    }
  }

  mutating func slow(_ id: UInt64) { change(id) { $0.isSlow = true } }

  mutating func slowNone() { for index in all.indices { all[index].isSlow = false } }
}

extension Wire {
  fileprivate mutating func endForPeer() {
    isOverForPeer = true
    isShutByPeer = true
    toPeer = []
  }
}

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

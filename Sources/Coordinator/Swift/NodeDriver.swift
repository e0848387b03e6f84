import Ground
import Guardrails
import SharedContainer

/// Reads the wallet's own tables inside one transaction.
public typealias StateReader = NodeReader
/// Reads and changes the wallet's own tables inside one fenced write.
public typealias StateWriter = NodeWriter
public typealias PaymentHash = Bytes32
/// A payment that came, with the wallet's own words for it, such as the invoice's description.
public typealias ReceivedPayment = Guardrails.ReceivedPayment
/// What a node is in the middle of. The app stays awake for all of it; a handover waits for what settles and for nothing else.
public typealias NodeActivity = Ground.NodeActivity

/// The wallet's Lightning node. Nothing is dialled before `start`, also not by a node that connects in its initialiser.
public protocol NodeDriver: AnyObject {
  associatedtype State

  /// What the node starts from. Called inside the transaction that claims the node: nobody can have changed it since.
  func readState(_ database: StateReader) throws -> State

  /// Dials, with this state and with no other. Everything the node writes goes through the lease, and before it is sent;
  /// what it has to tell it tells the lease.
  func start(_ lease: Lease, _ state: State)

  /// Gracefully: finish commits, shut the socket down, drain and close it, then report `stopped`. The coordinator waits for
  /// that for 3 s. Otherwise close the socket before this returns: the lock is dropped next, and another process dials. The
  /// lease writes nothing any more. A node that does not run is asked too, and does nothing.
  func stop(gracefully: Bool)

  /// The other process is to take over soon: incoming payments that were not accepted yet stay pending for it.
  func acceptNoNewPayment()

  /// The peer may be there again: a node that pauses before it dials again does so now.
  func dialNow()

  /// What is settled: this payment if it is; with nil, those that were settled since then (nanoseconds since 1970), when the
  /// push that is served arrived. A payment is settled when its HTLC has left the channel: before that the peer may not
  /// have the preimage yet.
  ///
  /// The extension asks, and the app need not have told it anything: while the app is in front it receives what the push is
  /// about. Without an answer the extension waits until its time is over, and says that nothing was received.
  func settledPayments(_ hash: PaymentHash?, since push: Int64, _ database: StateReader) throws
    -> [ReceivedPayment]
}

extension NodeDriver {
  public func acceptNoNewPayment() {}
  public func dialNow() {}
}

/// What a node tells about itself, through its lease.
public enum NodeNews: Hashable, Sendable {
  /// It dials, or waits to dial again.
  case connecting
  /// The channel is re-established.
  case established
  /// What it is in the middle of has changed.
  case busy(NodeActivity)
  case received(ReceivedPayment)
  /// The socket is closed and nothing more will be written. Only after `stop` was asked for: a node that has lost its
  /// connection, or failed, keeps the lease until then.
  case stopped
  /// Something else than a lease's write says that another process owns the node. The socket is closed.
  case fenced
  /// The peer has seen a higher epoch; only of a peer that is told the fence.
  case refused(Fence)
  /// Something for the status; the node goes on trying.
  case trouble(String)
}

/// What a peer is told when a node connects, if it can tell an older owner from a newer one, and what it refuses with.
public struct Fence: Hashable, Sendable {
  public var epoch: UInt64
  let id: ContainerID

  /// Nil unless the container's id has 16 bytes.
  public init?(epoch: UInt64, container: [UInt8]) {
    guard let id = ContainerID(container) else { return nil }
    self.init(epoch, id)
  }

  init(_ epoch: UInt64, _ id: ContainerID) {
    self.epoch = epoch
    self.id = id
  }

  /// 16 bytes.
  public var container: [UInt8] { id.bytes }
}

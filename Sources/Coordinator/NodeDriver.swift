import Ground
import Guardrails
import SharedContainer

/// Reads the wallet's own tables inside one transaction.
public typealias StateReader = NodeReader
/// Reads and changes the wallet's own tables inside one fenced write.
public typealias StateWriter = NodeWriter
public typealias PaymentHash = Bytes32
/// A received payment, with the wallet's own text, such as the invoice's description.
public typealias ReceivedPayment = Guardrails.ReceivedPayment
/// The node's pending work. The app stays awake for all of it; a handover waits only for settling payments.
public typealias NodeActivity = Ground.NodeActivity
/// A report of the node, through its lease.
public typealias NodeReport = Guardrails.NodeReport
/// The container in a fence, and in the peer's refusal.
public typealias ContainerID = Ground.ContainerID

/// The wallet's Lightning node. It must not dial before `start`, not even in its initialiser.
public protocol NodeDriver: AnyObject {
  associatedtype State

  /// The state for `start`. Called inside the transaction that claims the node, so no process can change it in
  /// between.
  func readState(_ database: StateReader) throws -> State

  /// Dials, with exactly this state. Every write of the node goes through the lease, before the message is sent; every
  /// report too.
  func start(_ lease: Lease, _ state: State)

  /// Gracefully: finish commits, shut down the socket, drain and close it, then report `stopped`; the coordinator
  /// waits 3 s for that. Otherwise close the socket before returning: the lock is dropped next, and another process
  /// dials. The lease writes nothing any more. Also called when the node is not running; then a no-op.
  func stop(gracefully: Bool)

  /// The other process will take over soon: leave HTLCs that are not accepted yet pending for it.
  func acceptNoNewPayment()

  /// The peer may be reachable again: a node that pauses between two dials dials now.
  func dialNow()

  /// The settled payments: the one with this hash, if it is settled; without a hash those settled since the served
  /// push arrived (nanoseconds since 1970). A payment is settled when its HTLC has left the channel: before that the
  /// peer may not have the preimage.
  ///
  /// The extension calls it: while the app holds the node, the app receives the push's payment and need not inform the
  /// extension. If it throws, the extension waits until its time is over and then delivers "nothing received".
  func settledPayments(_ hash: PaymentHash?, since push: Int64, _ database: StateReader) throws
    -> [ReceivedPayment]
}

extension NodeDriver {
  public func acceptNoNewPayment() {}
  public func dialNow() {}
}

/// Sent to the peer when a node connects, so that the peer can tell an older owner from a newer one.
public struct Fence: Hashable, Sendable {
  public let epoch: UInt64
  public let container: ContainerID
}

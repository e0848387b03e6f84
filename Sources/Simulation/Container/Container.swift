import Ground
import Guardrails
import Heartbeat
import LightningChannel
import LightningNode

/// The App Group directory as a value: the row, the node's state, locks, intent and beats. What is in the tables is
/// durable; locks and the intent belong to processes and go with them.
public struct Container: Hashable, Sendable {
  public let id: ContainerID
  public internal(set) var row: ClaimRow?
  public internal(set) var node = NodeState()
  /// What the wallet has paid, or may have.
  public internal(set) var past = PastPayments()
  var waits: [Wait] = []
  /// Payments that were received, in their order.
  public internal(set) var received: [Receipt] = []
  /// Invoices that the user has cancelled, by their payment hashes. A backup that knows one as open does not open it.
  var cancelled: [Bytes32] = []
  var locks = PerRole<LockFile>(LockFile(), LockFile())
  /// The process that holds the intent.
  var intent: Int32?
  var beats = PerRole<Beat?>(nil, nil)
  /// The process that is stopped inside a transaction.
  var writer: Int32?

  public init(id: ContainerID) { self.id = id }

  /// A role's lock file. Who holds the lock of a file that was replaced still has it, and guards nothing.
  struct LockFile: Hashable, Sendable {
    var holder: Int32?
  }
}

extension Container {
  mutating func followInvoices(_ change: NodeChange) {
    if let hash = change.cancelled, !cancelled.contains(hash) { cancelled.append(hash) }
    node.followInvoices(change)
    guard change.restored != nil else { return }
    let closed = cancelled + received.map(\.invoice.paymentHash)
    node.invoices.removeAll { closed.contains($0.paymentHash) }
  }

  /// With a channel from the peer's backup.
  mutating func follow(_ channel: Channel) { past.follow(channel, &node.payments) }

  /// Received, and its HTLC has left the channel: the peer has the preimage.
  func isSettled(_ hash: Bytes32) -> Bool {
    received.contains { $0.invoice.paymentHash == hash }
      && !(node.channel?.htlcs ?? []).contains { $0.direction == .received && $0.paymentHash == hash }
  }

  /// A file on which the process holds a lock that keeps others out.
  func lockedFile(of pid: Int32) -> String? {
    if locks.app.holder == pid { return "locks/app.lock" }
    if locks.notifier.holder == pid { return "locks/extension.lock" }
    if intent == pid { return "locks/app.intent" }
    return writer == pid ? Self.databaseLock : nil
  }

  /// The file on which SQLite has its locks.
  static let databaseLock = "node.sqlite-shm"
}

import Ground
import Guardrails
import Heartbeat
import Lightning
import Wallet

/// The App Group directory as a value: the row, the node's state, locks, intent and beats. Tables are durable; locks
/// and the intent end with their process.
public struct Container: Hashable, Sendable {
  public let id: ContainerID
  public internal(set) var row: ClaimRow?
  public internal(set) var node = NodeState()
  /// Outgoing payments that are paid, or whose outcome is lost.
  public internal(set) var past = PastPayments()
  var waits: [Wait] = []
  /// Received payments, in order.
  public internal(set) var received: [Receipt] = []
  /// The payments that an extension without a node has announced, in the order of their first announcement.
  public internal(set) var incoming: [IncomingRecord] = []
  /// Payment hashes of cancelled invoices. A backup with one of them open does not reopen it.
  var cancelled: [Bytes32] = []
  var locks = PerRole<LockFile>(LockFile(), LockFile())
  /// The process that holds the intent.
  var intent: Int32?
  package var beats = PerRole<Beat?>(nil, nil)
  /// The process that is frozen inside a transaction.
  var writer: Int32?

  public init(id: ContainerID) { self.id = id }

  /// The lock file at a role's path. A lock on a replaced file no longer counts.
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

  /// Once per hash: a later announcement of the same payment keeps the record's place.
  mutating func store(_ record: IncomingRecord) {
    if let index = incoming.firstIndex(where: { $0.paymentHash == record.paymentHash }) {
      incoming[index] = record
    } else {
      incoming.append(record)
    }
  }

  /// Only records that are as they were read. Returns the payments whose record is another.
  mutating func removeIncoming(_ records: [IncomingRecord]) -> [Bytes32] {
    incoming.removeAll { records.contains($0) }
    return records.map(\.paymentHash).filter { hash in incoming.contains { $0.paymentHash == hash } }
  }

  /// Closes payments by a channel from the peer's backup.
  mutating func follow(_ channel: Channel) { past.follow(channel, &node.payments) }

  /// Received.
  func has(_ hash: Bytes32) -> Bool { received.contains { $0.invoice.paymentHash == hash } }

  /// Received, and its HTLC is removed: the peer has the preimage.
  func isSettled(_ hash: Bytes32) -> Bool {
    has(hash)
      && !(node.channel?.htlcs ?? []).contains { $0.direction == .received && $0.paymentHash == hash }
  }

  /// A file on which the process holds an exclusive lock.
  func lockedFile(of pid: Int32) -> String? {
    if locks.app.holder == pid { return "locks/app.lock" }
    if locks.notifier.holder == pid { return "locks/extension.lock" }
    if intent == pid { return "locks/app.intent" }
    return writer == pid ? Self.databaseLock : nil
  }

  /// The file that SQLite locks.
  static let databaseLock = "node.sqlite-shm"
  /// The words of the real phone.
  static let openRead = "node.sqlite (an open read transaction)"
}

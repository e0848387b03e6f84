import Crypto
import Ground
import Guardrails
import DaemonRuntime
import WalletProcess

/// The records in the container, and the sealed payloads of pushes.
struct Completion: PaymentCompletion {
  private let store: IncomingStore

  init(container: String) { store = IncomingStore(container: container) }

  func open(_ sealed: SealedMembers, with key: PrivateKey) -> [UInt8]? {
    guard
      let payload = try? SealedPayload(
        cipher: sealed.cipher, iv: sealed.iv, publicKey: sealed.publicKey, tag: sealed.tag)
    else { return nil }
    return try? PushSeal.open(payload, with: key)
  }

  func records() throws(IncomingStoreError) -> (records: [IncomingRecord], unread: Int64) {
    let (entries, unread) = try store.read()
    return (entries.map(\.record), unread)
  }

  func remove(_ records: [IncomingRecord]) throws(IncomingStoreError) -> [Bytes32] {
    try store.remove(records)
  }
}

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

  func records() throws(RecordsTrouble) -> (records: [IncomingRecord], unread: Int64) {
    do throws(IncomingStoreError) {
      let (entries, unread) = try store.read()
      return (entries.map(\.record), unread)
    } catch { throw trouble(error) }
  }

  func remove(_ records: [IncomingRecord]) throws(RecordsTrouble) -> [Bytes32] {
    do throws(IncomingStoreError) { return try store.remove(records) } catch { throw trouble(error) }
  }

  private func trouble(_ error: IncomingStoreError) -> RecordsTrouble {
    switch error {
    case .busy: .busy
    case .failed(let sentence): .failed(sentence)
    }
  }
}

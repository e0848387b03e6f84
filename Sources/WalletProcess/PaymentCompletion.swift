import Crypto
import Ground
import Guardrails

/// What an app has besides its node if its extension has none: the extension's records, and the key to the pushes that
/// it announces them from. An extension that has a node links none of it.
public protocol PaymentCompletion {
  /// nil if the payload cannot be opened with this key.
  func open(_ sealed: SealedMembers, with key: PrivateKey) -> [UInt8]?
  /// The newest in the order of their arrival, and how many older ones there are.
  func records() throws(RecordsTrouble) -> (records: [IncomingRecord], unread: Int64)
  /// Returns the payments whose record is another by now, and stays.
  func remove(_ records: [IncomingRecord]) throws(RecordsTrouble) -> [Bytes32]
}

public enum RecordsTrouble: Error, Hashable {
  /// Another process is in a transaction.
  case busy
  /// One sentence for users.
  case failed(String)

  var trouble: Trouble {
    switch self {
    case .busy: .blocked(pid: nil, isStopped: false)
    case .failed(let sentence): .failed(sentence)
    }
  }
}

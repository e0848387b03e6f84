import Ground

/// The hashes of payments that failed without the wallet, so that it can tell its user. The newest ones: each
/// connection of the wallet gets them all, as there is no acknowledgement.
public struct EndedHolds: Hashable, Codable, Sendable {
  /// So that a connection begins with a bounded number of messages.
  public static let limit = 16

  /// Each once, the newest last.
  public private(set) var paymentHashes: [Bytes32]

  public init(_ paymentHashes: [Bytes32] = []) {
    self.paymentHashes = paymentHashes.suffix(Self.limit)
  }

  /// Returns the oldest hash if it had to make room.
  mutating func add(_ paymentHash: Bytes32) -> Bytes32? {
    remove(paymentHash)
    paymentHashes.append(paymentHash)
    return paymentHashes.count > Self.limit ? paymentHashes.removeFirst() : nil
  }

  /// False if it was not there.
  @discardableResult
  mutating func remove(_ paymentHash: Bytes32) -> Bool {
    guard let place = paymentHashes.firstIndex(of: paymentHash) else { return false }
    paymentHashes.remove(at: place)
    return true
  }
}

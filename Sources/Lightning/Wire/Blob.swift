import Crypto
import Ground

/// A wallet's backup for its peer: bytes whose content decides nothing. A journal has their number and hash alone, and
/// so has the ledger of all but the newest: with 200 open invoices a backup has 20 KB, and each step sends one.
public struct Blob: Hashable, Sendable {
  /// Empty if this was read from a journal.
  public let array: [UInt8]
  public let count: Int
  /// As read from a journal.
  private let recordedHash: Bytes32?

  public init(_ array: [UInt8]) {
    self.array = array
    count = array.count
    recordedHash = nil
  }

  public var hash: Bytes32 { recordedHash ?? SHA256.hash(array) }
}

extension Blob: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: UInt8...) { self.init(elements) }
}

extension Blob: Codable {
  private enum CodingKeys: CodingKey { case count, sha256 }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    array = []
    count = try container.decode(Int.self, forKey: .count)
    recordedHash = try container.decode(Bytes32.self, forKey: .sha256)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(count, forKey: .count)
    try container.encode(hash, forKey: .sha256)
  }
}

extension Blob: WireCodable {
  package static var blank: Blob { [] }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    var bytes = Bytes(array)
    try coder.field(&bytes)
    try coder.ignoreRecords()
    self = Blob(bytes.array)
  }
}

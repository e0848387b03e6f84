import Ground

/// The TLV stream of a message: records in ascending order, each type once.
public struct RecordStream: Hashable, Sendable {
  public private(set) var records: [Record] = []

  public init() {}

  public subscript(_ type: UInt64) -> Bytes? { records.first { $0.type == type }?.value }

  public mutating func set(_ type: UInt64, _ value: Bytes) {
    remove(type)
    let position = records.firstIndex { $0.type > type } ?? records.endIndex
    records.insert(Record(type: type, value: value), at: position)
  }

  /// For a reader that has checked the order: `set` would search the stream for each record, which takes seconds for
  /// a hostile message.
  mutating func append(_ record: Record) { records.append(record) }

  /// Removes a record and returns its value.
  mutating func take(_ type: UInt64) -> Bytes? {
    guard let value = self[type] else { return nil }
    remove(type)
    return value
  }

  /// A copy with this value for the type; nil removes the record.
  func with(_ type: UInt64, _ value: Bytes?) -> RecordStream {
    var all = self
    if let value { all.set(type, value) } else { all.remove(type) }
    return all
  }

  public mutating func remove(_ type: UInt64) { records.removeAll { $0.type == type } }
}

extension RecordStream: Codable {
  public init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    while !container.isAtEnd {
      let record = try container.decode(Record.self)
      set(record.type, record.value)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for record in records { try container.encode(record) }
  }
}

/// One type-length-value record at the end of a message.
public struct Record: Hashable, Codable, Sendable {
  public let type: UInt64
  public let value: Bytes
}

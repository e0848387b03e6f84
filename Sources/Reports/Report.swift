// Reports: what the programs tell each other and other programs in JSON, as types that the writer and the reader share.
// Pure. No decision is made here, and nothing is written or read but the text itself.

import JSON

/// A document of JSON. A property is a member whose name is in snake_case; one that is nil is left out. The unit stands
/// last in a name: `_msat` is an amount, `_wall_ns` an instant since 1970 on the phone's clock, `_at_ns` one of the
/// monotonic clock, `_ms` a span.
public protocol Report: Codable, Sendable {}

extension Report {
  public var json: String { (try? JSONLineEncoder(names: .snakeCase).encode(self)) ?? "null" }

  /// Nil for what is none.
  public init?(json bytes: some Collection<UInt8>) {
    guard let report = try? JSONLineDecoder(names: .snakeCase).decode(Self.self, from: Array(bytes)) else {
      return nil
    }
    self = report
  }

  /// Those of a file with one in each line; lines that are none are passed over.
  public static func rows(in lines: some Collection<UInt8>) -> [Self] {
    lines.split(separator: UInt8(ascii: "\n")).compactMap { Self(json: $0) }
  }
}

extension Array: Report where Element: Report {}

/// A row of a file in which the last one of a number counts.
public protocol NumberedRow: Report {
  var id: UInt64 { get }
}

extension Array where Element: NumberedRow {
  /// The last row of each number, in the place of the first.
  public var lastOfEach: [Element] {
    var places: [UInt64: Int] = [:]
    var last: [Element] = []
    for row in self {
      if let place = places[row.id] {
        last[place] = row
      } else {
        places[row.id] = last.count
        last.append(row)
      }
    }
    return last
  }
}

// PhonePolicy/Reports: the JSON documents of the programs, as types shared by writer and reader. Pure: no decisions and no I/O.

import Ground

/// A JSON document. Property names are in snake_case; nil properties are left out. Names end with the unit: `_msat`
/// is an amount, `_wall_ns` an instant since 1970 on the phone's clock, `_at_ns` one of the monotonic clock, `_ms`
/// a span.
public protocol Report: Codable, Sendable {}

extension Report {
  public var json: String { (try? JSONLineEncoder(names: .snakeCase).encode(self)) ?? "null" }

  /// Nil if the bytes are not a valid document.
  public init?(json bytes: some Collection<UInt8>) {
    guard let report = try? JSONLineDecoder(names: .snakeCase).decode(Self.self, from: Array(bytes)) else {
      return nil
    }
    self = report
  }

  /// The rows of a file with one per line; invalid lines are skipped.
  public static func rows(in lines: some Collection<UInt8>) -> [Self] {
    lines.split(separator: UInt8(ascii: "\n")).compactMap { Self(json: $0) }
  }
}

extension Array: Report where Element: Report {}

/// A row of a file in which the last row of an id counts.
public protocol NumberedRow: Report {
  var id: UInt64 { get }
}

extension Array where Element: NumberedRow {
  /// The last row of each id, in the place of the first.
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

import Ground
import Platform
import SharedContainer

/// A row with access by column name.
package struct NamedRow {
  let columns: [String]
  package let row: Row

  package struct Missing: Error, CustomStringConvertible {
    package let column: String
    package var description: String { "column \(column) is missing or of another type" }
  }

  private func value(_ column: String) throws -> SQLValue {
    guard let place = columns.firstIndex(of: column) else { throw Missing(column: column) }
    return try row.value(place)
  }

  package func integer(_ column: String) throws -> Int64 {
    guard case .integer(let value) = try value(column) else { throw Missing(column: column) }
    return value
  }

  func unsigned(_ column: String) throws -> UInt64 {
    guard let value = UInt64(exactly: try integer(column)) else { throw Missing(column: column) }
    return value
  }

  package func text(_ column: String) throws -> String {
    guard case .text(let value) = try value(column) else { throw Missing(column: column) }
    return value
  }

  func integerIfPresent(_ column: String) throws -> Int64? {
    try value(column) == .null ? nil : integer(column)
  }

  func hexIfPresent(_ column: String) throws -> String? { try value(column) == .null ? nil : hex(column) }

  package func hex(_ column: String) throws -> String {
    guard case .blob(let bytes) = try value(column) else { throw Missing(column: column) }
    return Hexadecimal.encode(bytes)
  }
}

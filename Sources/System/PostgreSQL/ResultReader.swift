import CPostgreSQL
import Database

/// The rows of one result, in the binary form.
struct ResultReader {
  private let result: OpaquePointer
  private let columns: [String]
  private let types: [UInt32]

  init(_ result: OpaquePointer) {
    self.result = result
    let count = baton_pg_columns(result)
    columns = (0..<count).map { baton_pg_name(result, $0).map { String(cString: $0) } ?? "" }
    types = (0..<count).map { baton_pg_type(result, $0) }
  }

  func row(_ row: Int32) throws -> Row {
    Row(
      columns: columns, values: try types.indices.map { try value(row, $0) },
      database: "the ledger's database")
  }

  private func value(_ row: Int32, _ column: Int) throws -> SQLValue {
    var count: Int32 = 0
    guard let start = baton_pg_value(result, row, Int32(column), &count) else { return .null }
    let bytes = [UInt8](UnsafeRawBufferPointer(start: start, count: Int(max(0, count))))
    switch types[column] {
    case WireType.bytea: return .blob(bytes)
    case WireType.text, WireType.varchar, WireType.name: return .text(String(decoding: bytes, as: UTF8.self))
    case WireType.void: return .null
    case WireType.bool: return .integer(bytes.first == 1 ? 1 : 0)
    case WireType.int2 where bytes.count == 2:
      return .integer(Int64(Int16(truncatingIfNeeded: number(bytes))))
    case WireType.int4 where bytes.count == 4:
      return .integer(Int64(Int32(truncatingIfNeeded: number(bytes))))
    case WireType.oid where bytes.count == 4: return .integer(Int64(number(bytes)))
    case WireType.int8 where bytes.count == 8: return .integer(Int64(bitPattern: number(bytes)))
    case WireType.float8 where bytes.count == 8: return .real(Double(bitPattern: number(bytes)))
    default:
      throw PostgreSQLError.unfit(
        "column \(columns[column]) has a type that the ledger does not use; give the database that lspd made")
    }
  }

  private func number(_ bytes: [UInt8]) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}

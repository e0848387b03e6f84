import Database

/// One row, read by the names of its columns.
struct SQLiteRow {
  let path: String
  let table: String
  let names: [String]
  let cells: [SQLValue]

  private func cell(_ name: String) throws(JudgeError) -> SQLValue {
    guard let index = names.firstIndex(of: name) else {
      throw .foreign(path: path, reason: "its table \(table) has no column \(name)")
    }
    return cells[index]
  }

  func integer(_ name: String) throws(JudgeError) -> Int64 {
    guard case .integer(let value) = try cell(name) else { throw mismatch(name, "a number") }
    return value
  }

  func text(_ name: String) throws(JudgeError) -> String {
    guard case .text(let value) = try cell(name) else { throw mismatch(name, "text") }
    return value
  }

  func blob(_ name: String) throws(JudgeError) -> [UInt8] {
    guard case .blob(let value) = try cell(name) else { throw mismatch(name, "bytes") }
    return value
  }

  func optionalInteger(_ name: String) throws(JudgeError) -> Int64? {
    try cell(name) == .null ? nil : try integer(name)
  }

  func optionalText(_ name: String) throws(JudgeError) -> String? {
    try cell(name) == .null ? nil : try text(name)
  }

  func optionalBlob(_ name: String) throws(JudgeError) -> [UInt8]? {
    try cell(name) == .null ? nil : try blob(name)
  }

  private func mismatch(_ name: String, _ what: String) -> JudgeError {
    .foreign(path: path, reason: "in its table \(table) a value of \(name) is not \(what)")
  }
}

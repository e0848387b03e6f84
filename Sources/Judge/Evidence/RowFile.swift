import JSON

/// A file of lspd's directory with one row in JSON on each line.
enum RowFile {
  /// None of a file that is missing. A truncated last line is normal after a kill.
  static func read<Row>(
    _ name: String, in directory: String, _ parse: (JSONValue, String) -> Row?
  ) -> (rows: [Row], remarks: [String]) {
    var rows: [Row] = []
    var number = 0
    var foreign = 0
    var remarks: [String] = []
    do throws(EvidenceFile.Problem) {
      _ = try EvidenceFile("\(directory)/\(name)").readLines { line in
        number += 1
        let row = JSONValue(parsing: Array(line)).flatMap { parse($0, "\(name) line \(number)") }
        if let row { rows.append(row) } else { foreign += 1 }
        return true
      }
    } catch {
      if error != .missing { remarks.append("lsp/\(name) is not judged: \(error.words)") }
    }
    if foreign > 0 {
      remarks.append("lsp/\(name) has \(countWords(Int64(foreign), "line")) that are no rows")
    }
    return (rows, remarks)
  }
}

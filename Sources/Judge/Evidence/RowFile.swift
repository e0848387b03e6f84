import JSON

/// A file of lspd's directory with one row in JSON on each line.
enum RowFile {
  /// None of a file that is missing. A truncated line is normal after a kill or a full disk; `foreign` is the name of a
  /// file with lines that no program of ours has written.
  static func read<Row>(
    _ name: String, in directory: String, _ parse: (JSONValue, String) -> Row?
  ) -> (rows: [Row], remarks: [String], foreign: [String]) {
    var rows: [Row] = []
    var number = 0
    var torn = 0
    var foreign: [String] = []
    var remarks: [String] = []
    do throws(EvidenceFile.Problem) {
      _ = try EvidenceFile("\(directory)/\(name)").readLines { line in
        number += 1
        // Two senders after a full disk may each end the line that it cut off.
        guard !line.isEmpty else { return true }
        let value = JSONValue(parsing: Array(line))
        if let row = value.flatMap({ parse($0, "\(name) line \(number)") }) {
          rows.append(row)
        } else if value == nil, line.first == UInt8(ascii: "{") {
          torn += 1
        } else {
          foreign = [name]
        }
        return true
      }
    } catch {
      if error != .missing { remarks.append("lsp/\(name) is not judged: \(error.words)") }
    }
    if torn > 0 { remarks.append("lsp/\(name) has \(countWords(torn, "truncated line"))") }
    return (rows, remarks, foreign)
  }
}

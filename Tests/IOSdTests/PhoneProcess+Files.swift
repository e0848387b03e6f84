import Foundation

extension PhoneProcess {
  /// The pushes of which a journal of the extension says that their payment is stored.
  func storedPushes() throws -> Set<String> {
    var pushes: Set<String> = []
    for name in try FileManager.default.contentsOfDirectory(atPath: "\(home)/journal")
    where name.contains("notifyonlyd") {
      let text = try String(contentsOfFile: "\(home)/journal/\(name)", encoding: .utf8)
      for found in text.matches(of: /"event":\{"incomingStored":\{"push":([0-9]+)/) {
        pushes.insert(String(found.output.1))
      }
    }
    return pushes
  }

  /// The last row of each id in a file of iosd, whose answers are limited in length.
  func written(_ file: String) throws -> [[String: Any]] {
    let text = try String(contentsOfFile: "\(home)/os/\(file).jsonl", encoding: .utf8)
    var rows: [Int: [String: Any]] = [:]
    for line in text.split(separator: "\n") {
      guard let row = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
        let id = row["id"] as? Int
      else { continue }
      rows[id] = row
    }
    return rows.keys.sorted().compactMap { rows[$0] }
  }
}

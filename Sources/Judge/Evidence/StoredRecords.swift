/// The records of announced payments that the extension without a node leaves for the app.
struct StoredRecords {
  /// Payment hashes.
  var hashes: Set<[UInt8]> = []
  /// Why they are not judged; nil if they are.
  var hindrance: String?
  /// A process had the database open.
  var isLive = false
}

extension EvidenceCollector {
  /// Nil if the database changed while it was being copied.
  func storedRecords(_ scratch: Scratch) throws(JudgeError) -> StoredRecords? {
    let path = container + "/incoming.sqlite"
    var records = StoredRecords()
    if FileStamp(path) != nil {
      guard let source = try source(path, "incoming.sqlite", scratch) else { return nil }
      records.isLive = source.isLive
      do throws(JudgeError) {
        let file = try SQLiteFile(path: source.path, isLive: source.isOpened, of: path)
        // The extension may have made the file, and not the table yet.
        if try file.tables().contains("incoming") {
          records.hashes = Set(
            try file.rows(of: "incoming", by: "number") { (row: HashEntry) in row.paymentHash })
        }
      } catch { records.hindrance = "\(path) cannot be read, so its records are not judged" }
    }
    // Listed last: the extension renames a damaged database before it makes another.
    let names = EvidenceFile.names(in: container)
    if let name = names.filter({ $0.hasPrefix("incoming.sqlite.damaged-") }).min() {
      records.hindrance = "\(container)/\(name) was set aside as damaged, so the records are not judged"
    }
    return records
  }
}

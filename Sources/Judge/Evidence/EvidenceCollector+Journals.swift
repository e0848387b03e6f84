/// The first line of a journal.
struct JournalHead {
  let path: String
  let name: String
  let process: String
  var startedNs: Int64
  let startedWallNs: Int64
  let boot: String
  let arguments: [String]
}

// Journals are read twice: first their heads, which determine the secrets to search for, then line by line.
extension EvidenceCollector {
  struct Journals {
    fileprivate(set) var files: [JournalFile] = []
    /// Names of files without a journal header.
    fileprivate(set) var foreign: [String] = []
    fileprivate(set) var unread: [(name: String, reason: String)] = []
  }

  /// Sorted by start; files without a valid first line come first. The peer's journals are beside its ledger.
  func journalHeads() -> [JournalHead] {
    let peers = firstHome == home ? [] : heads(in: firstHome + "/journal").filter { $0.process == "lspd" }
    return (heads(in: journalPath) + peers).sorted { ($0.startedNs, $0.name) < ($1.startedNs, $1.name) }
  }

  private func heads(in directory: String) -> [JournalHead] {
    let names = EvidenceFile.names(in: directory)
    return names.filter { $0.hasSuffix(".jsonl") }.map { head("\(directory)/\($0)", $0) }
  }

  private func head(_ path: String, _ name: String) -> JournalHead {
    var first: JournalRecord?
    _ = try? EvidenceFile(path).readLines { line in
      first = JournalRecord(file: name, line: 1, bytes: Array(line))
      return false
    }
    return JournalHead(
      path: path, name: name, process: first?.body["process"]?.text ?? "", startedNs: first?.atNs ?? .min,
      startedWallNs: first?.wallNs ?? .min, boot: first?.body["boot"]?.text ?? "",
      arguments: (first?.body["arguments"]?.items ?? []).compactMap(\.text))
  }

  /// Of all journals, as the claims may lack one.
  func boots(_ known: Boots, _ heads: [JournalHead]) -> Boots {
    var boots = known
    boots.insert(
      heads.filter { !$0.boot.isEmpty }.sorted { $0.startedWallNs < $1.startedWallNs }.map(\.boot))
    return boots
  }

  func journals(
    _ heads: [JournalHead], _ boots: Boots, until limitNs: Int64?, _ search: SecretSearch,
    _ progress: (String) -> Void
  ) -> Journals {
    var journals = Journals()
    for (place, head) in heads.enumerated() {
      progress("reading journal \(place + 1) of \(heads.count)")
      do throws(EvidenceFile.Problem) {
        guard let file = try read(head, boots, until: limitNs, search) else {
          journals.foreign.append(head.name)
          continue
        }
        journals.files.append(file)
      } catch { journals.unread.append((head.name, error.words)) }
    }
    journals.files.sort { ($0.startedNs, $0.name) < ($1.startedNs, $1.name) }
    endInGaps(&journals.files)
    return journals
  }

  private func read(
    _ head: JournalHead, _ boots: Boots, until limitNs: Int64?, _ search: SecretSearch
  ) throws(EvidenceFile.Problem) -> JournalFile? {
    let file = try EvidenceFile(head.path)
    let reading = Taking(
      JournalReading(
        path: head.path, until: limitNs, bootBeginNs: boots.beginNs(of: head.boot), search: search))
    let endsTorn = try file.readLines(piece: { reading.journal.feed($0) }) { line in
      reading.journal.take(line)
      return true
    }
    reading.journal.finish()
    return JournalFile(reading.journal, endsTorn: endsTorn, visits)
  }

  /// Whether the newest journal of lspd or iosd has no end and was copied: the file of a copy is newer than its last line,
  /// or than its own content.
  func isCopyOfRunningPhone(_ journals: [JournalFile]) -> Bool {
    ["lspd", "iosd"].contains { program in
      guard let journal = journals.last(where: { $0.process == program }), !journal.hasEnded,
        let stamp = FileStamp("\(program == "lspd" ? firstHome : home)/journal/\(journal.name)")
      else { return false }
      // A copy without the original's times. The phone's own clock may be off.
      let isNew = program == "lspd" && stamp.modifiedNanoseconds &- journal.lastWallNs > stepSlackNs
      return isNew || stamp.changedNanoseconds > stamp.modifiedNanoseconds
    }
  }

  /// A class, as both closures change it.
  private final class Taking {
    var journal: JournalReading
    init(_ journal: JournalReading) { self.journal = journal }
  }

  /// A process killed while the disk was full could not note its lost last lines, but another journal notes the full
  /// disk.
  private func endInGaps(_ files: inout [JournalFile]) {
    let noted = files.flatMap(\.gaps).filter(\.isNoted)
    guard !noted.isEmpty else { return }
    let first = noted.map(\.fromNs).min() ?? .min
    let last = noted.map(\.toNs).max() ?? .max
    for place in files.indices where !files[place].hasEnded && (first...last).contains(files[place].lastNs) {
      guard
        // Its own gap is over at its last line.
        let gap = noted.first(where: { $0.fromNs <= files[place].lastNs && files[place].lastNs < $0.toNs })
      else { continue }
      files[place].endInGap(gap)
    }
  }
}

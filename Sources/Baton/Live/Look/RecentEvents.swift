import DaemonRuntime

/// The last sentences of the journals, read from their ends.
struct RecentEvents {
  private let journals: String
  private var merger: JournalMerger?
  private var narrator = JournalNarrator()
  private let most: Int
  private(set) var events: [LiveView.Event] = []

  init(_ phone: Phone, most: Int) {
    journals = phone.journal
    self.most = most
  }

  /// Journals that cannot be read.
  var problems: [String] { merger?.problems ?? [] }

  mutating func update() {
    if let merger { return add(merger.readNew(), of: merger) }
    merger = JournalMerger.newest(in: journals) { merger, entries in
      (narrator, events) = (JournalNarrator(), [])
      add(entries, of: merger)
      return events.count == most
    }
  }

  private mutating func add(_ entries: [JournalMerger.Entry], of merger: JournalMerger) {
    for entry in entries {
      let sentences = narrator.sentences(for: entry)
      guard merger.isWhole(entry) else { continue }
      for sentence in sentences where sentence.matters {
        events.append(
          LiveView.Event(
            process: entry.process.onOneLine, text: sentence.text, atWallNs: entry.line.header.wall))
      }
    }
    events.removeFirst(max(0, events.count - most))
  }
}

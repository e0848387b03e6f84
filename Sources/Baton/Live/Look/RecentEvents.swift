import DaemonRuntime
import Inspection
import PhoneClient

/// The last sentences of the journals. Journals of a long run are read in pieces, one at each look.
struct RecentEvents {
  /// Their headers are read in a fraction of a second.
  private static let recordsPerLook = 20_000
  /// Of a piece, only these are told: sentences cost more than headers.
  private static let toldPerLook = 600

  private let merger: JournalMerger
  private var narrator = JournalNarrator()
  private let most: Int
  private(set) var events: [LiveView.Event] = []
  private(set) var hasReadAll = false

  init(_ phone: Phone, most: Int) {
    merger = JournalMerger(directory: phone.journal)
    self.most = most
  }

  /// Journals that cannot be read.
  var problems: [String] { merger.problems }

  mutating func update() {
    let entries = merger.readNew(atMost: Self.recordsPerLook)
    hasReadAll = entries.count < Self.recordsPerLook
    for entry in entries.suffix(Self.toldPerLook) {
      for sentence in narrator.sentences(for: entry) where sentence.matters {
        events.append(
          LiveView.Event(
            process: entry.process.onOneLine, text: sentence.text, atWallNs: entry.line.header.wall))
      }
    }
    events.removeFirst(max(0, events.count - most))
  }
}

/// A core that is replayed from its journal.
protocol CoreReplay {
  /// Handles the record's event and returns the line that this program writes for it.
  mutating func line(for record: JournalLine) throws -> String
}

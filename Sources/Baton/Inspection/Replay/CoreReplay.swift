/// One core that is run again from its journal.
protocol CoreReplay {
  /// Runs the event of the record; gives back the line as this program would have written it.
  mutating func line(for record: JournalLine) throws -> String
}

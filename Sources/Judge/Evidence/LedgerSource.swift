/// The opened ledger, with the directory of its copy, which is removed with this value.
final class LedgerSource {
  let file: SQLiteFile
  private let scratch: Scratch

  init(_ file: SQLiteFile, in scratch: Scratch) {
    self.file = file
    self.scratch = scratch
  }
}

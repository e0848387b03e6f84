/// Another lspd of the same database is amid a request about the attempt, and may have paid.
struct AttemptElsewhereError: Error, CustomStringConvertible {
  var description: String {
    "another lspd of this database is at work on this attempt; it is pending until `await` says more"
  }
}

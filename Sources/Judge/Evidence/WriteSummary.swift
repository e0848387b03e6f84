/// What one fenced write did, as its row says it: `channel revision 7, received 1`.
struct WriteSummary {
  var revision: Int64?
  var received: Int64 = 0
  var invoices = 0
  var cancelled = 0
  var offered: Int64 = 0
  var ended: Int64 = 0
  var isRestored = false

  /// Nil for words that no write of this version uses.
  init?(_ text: String) {
    guard !text.isEmpty else { return }
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let words = part.split(separator: " ").map(String.init)
      switch words {
      case _ where part.trimmingPrefix(" ") == "restored from the peer's backup": isRestored = true
      // The claims and the peer's frames tell of it.
      case ["channel", "failed", "by", "the", "peer"]: break
      case ["new", "invoice"]: invoices += 1
      case ["invoice", "cancelled"]: cancelled += 1
      case _ where words.count == 2 && words[0] == "received":
        guard let number = Int64(words[1]), number >= 0 else { return nil }
        let (sum, overflow) = received.addingReportingOverflow(number)
        guard !overflow else { return nil }
        received = sum
      case _ where words.count == 2 && ["offered", "ended"].contains(words[0]):
        guard let number = Int64(words[1]), (1...1000).contains(number) else { return nil }
        if words[0] == "offered" { offered = number } else { ended = number }
      case _ where words.count == 2 && words[0] == "waiting":
        // How many payments lack parts from here on: of no other evidence's concern.
        guard let number = Int64(words[1]), (0...1000).contains(number) else { return nil }
      case _ where words.count == 3 && words[0] == "channel" && words[1] == "revision":
        guard let number = Int64(words[2]) else { return nil }
        revision = number
      default: return nil
      }
    }
  }
}

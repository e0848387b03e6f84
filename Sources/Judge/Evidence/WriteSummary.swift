/// What one fenced write did, as its row says it: `revision=7 received=1`.
struct WriteSummary {
  var revision: Int64?
  var received: Int64 = 0
  var invoices = 0
  var cancelled = 0
  var offered: Int64 = 0
  var ended: Int64 = 0
  var isRestored = false

  /// Nil for what no write says, of this version or an earlier one.
  init?(_ text: String) {
    let isOlder = !text.utf8.contains(UInt8(ascii: "="))
    for part in text.split(separator: isOlder ? "," : " ", omittingEmptySubsequences: false)
    where !text.isEmpty {
      guard let (name, number) = isOlder ? Self.older(part) : Self.read(part), note(name, number) else {
        return nil
      }
    }
  }

  private static func read(_ part: Substring) -> (name: Substring, number: Int64)? {
    let sides = part.split(separator: "=", omittingEmptySubsequences: false)
    guard sides.count == 2, let number = Int64(sides[1]) else { return nil }
    return (sides[0], number)
  }

  /// Earlier versions wrote words for people: `channel revision 7, new invoice`.
  private static func older(_ part: Substring) -> (name: Substring, number: Int64)? {
    var words = part.split(separator: " ")
    let number = words.last.flatMap { Int64($0) }
    if number != nil { words.removeLast() }
    let phrase = words.joined(separator: " ")
    if let name = olderMarks[phrase] { return number == nil ? (name, 1) : nil }
    return number.map { (phrase == "channel revision" ? "revision" : Substring(phrase), $0) }
  }

  private static let olderMarks: [String: Substring] = [
    "restored from the peer's backup": "restored", "new invoice": "invoice", "invoice cancelled": "cancelled",
    "channel failed by the peer": "failed",
  ]

  private mutating func note(_ name: Substring, _ number: Int64) -> Bool {
    switch name {
    case "revision": revision = number
    case "received":
      let (sum, overflow) = received.addingReportingOverflow(number)
      guard number >= 0, !overflow else { return false }
      received = sum
    case "offered", "ended":
      guard (1...1000).contains(number) else { return false }
      if name == "offered" { offered = number } else { ended = number }
    // How many payments lack parts from here on: of no other evidence's concern.
    case "waiting": return (0...1000).contains(number)
    case "invoice":
      invoices += 1
      return number == 1
    case "cancelled":
      cancelled += 1
      return number == 1
    case "restored":
      isRestored = true
      return number == 1
    // The claims and the peer's frames tell of it.
    case "failed": return number == 1
    default: return false
    }
    return true
  }
}

import Ground

/// What one number of wallets cost.
struct Figures {
  var wallets = 0
  /// All wallets begin: a handshake, a claim, a channel, and away again.
  var begunPerSecond = 0
  /// Growth of lspd's memory by a wallet that is away, and by one that is connected.
  var awayBytes = 0
  var connectedBytes = 0
  var connected = 0
  /// Growth of the ledger by a wallet that has begun, and by a payment that was held, pushed and settled.
  var ledgerBytes = 0
  var paymentBytes = 0
  /// One sender, one payment after the other, each to another wallet that is away.
  var heldPerSecond = 0
  /// From the sender's request to the push at the phone.
  var pushMedian = TimeSpan.zero
  var pushNinetyNine = TimeSpan.zero
  /// One sender, to connected wallets.
  var settledPerSecond = 0

  static let heads = [
    "wallets", "begun/s", "held/s, away", "push, median", "push, p99", "connected", "settled/s, connected",
    "memory away", "memory connected", "ledger per wallet", "ledger per payment",
  ]

  var cells: [String] {
    [
      Self.grouped(wallets), Self.grouped(begunPerSecond), Self.grouped(heldPerSecond),
      Self.milliseconds(pushMedian), Self.milliseconds(pushNinetyNine), Self.grouped(connected),
      Self.grouped(settledPerSecond), "\(Self.grouped(awayBytes)) B", "\(Self.grouped(connectedBytes)) B",
      "\(Self.grouped(ledgerBytes)) B", "\(Self.grouped(paymentBytes)) B",
    ]
  }

  static func line(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |" }

  static func grouped(_ number: Int) -> String {
    var text = "\(abs(number))"
    var index = text.endIndex
    while text.distance(from: text.startIndex, to: index) > 3 {
      index = text.index(index, offsetBy: -3)
      text.insert(",", at: index)
    }
    return number < 0 ? "-" + text : text
  }

  static func milliseconds(_ span: TimeSpan) -> String {
    let hundredths = (span.nanoseconds + 5000) / 10_000
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) ms"
  }
}

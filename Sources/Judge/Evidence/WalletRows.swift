import Ground

// The rows of the wallet's database, one type per table, with a property for each column that is judged.

struct ClaimEntry: Decodable {
  let epoch: Int64
  let role: String
  let pid: Int64
  let startTime: Int64
  let bootHigh: Int64
  let bootLow: Int64
  let incarnation: Int64
  private(set) var claimedBootNs: Int64
  let claimedWallNs: Int64
  let seenEpoch: Int64
  let reason: String

  func moved(by spanNs: Int64) -> ClaimEntry {
    var moved = self
    moved.claimedBootNs &+= spanNs
    return moved
  }

  var program: String { role == "app" ? "mainappd" : "notifyextd" }
  /// The owner raised its epoch above one that the peer reported, after an old copy of the database was restored.
  var isRaised: Bool { reason == "raised-above-peer" || movesHere }
  /// The user moved the wallet here from another container.
  var movesHere: Bool { reason == "raised-to-move-here" }
  var boot: String { [bootHigh, bootLow].map { Hexadecimal.encode(word: UInt64(bitPattern: $0)) }.joined() }
  var row: EvidenceRow { .wallet("claims", epoch) }
}

struct NodeWriteEntry: Decodable {
  private enum CodingKeys: CodingKey { case id, epoch, incarnation, what, atMonoNs }

  let id: Int64
  let epoch: Int64
  let incarnation: Int64
  let what: String
  private(set) var atMonoNs: Int64
  /// Nil if `what` is not a summary.
  private(set) var summary: WriteSummary?

  func read(movedBy spanNs: (Int64) -> Int64) -> NodeWriteEntry {
    var read = self
    read.atMonoNs &+= spanNs(epoch)
    read.summary = WriteSummary(what)
    return read
  }

  var row: EvidenceRow { .wallet("node_writes", id) }
}

/// The summary of one fenced write in its row: `revision=7 received=1`.
struct WriteSummary {
  var revision: Int64?
  var received: Int64 = 0
  var invoices = 0
  var cancelled = 0
  var offered: Int64 = 0
  var ended: Int64 = 0
  var isRestored = false

  /// Nil if it is not a summary.
  init?(_ text: String) {
    for part in text.split(separator: " ", omittingEmptySubsequences: false) where !text.isEmpty {
      let sides = part.split(separator: "=", omittingEmptySubsequences: false)
      guard sides.count == 2, let number = Int64(sides[1]),
        Self.numbers[sides[0]]?.contains(number) == true
      else { return nil }
      switch sides[0] {
      case "revision": revision = number
      case "received": received = number
      case "offered": offered = number
      case "ended": ended = number
      case "invoice": invoices = 1
      case "cancelled": cancelled = 1
      case "restored": isRestored = true
      // `waiting` is compared with nothing; a failure is in the peer's frames.
      default: break
      }
    }
  }

  private static let numbers: [Substring: ClosedRange<Int64>] = [
    "revision": 0...(.max), "received": 0...(.max), "offered": 1...1000, "ended": 1...1000,
    "waiting": 0...1000, "invoice": 1...1, "cancelled": 1...1, "restored": 1...1, "failed": 1...1,
  ]
}

/// The sums of several writes' summaries.
struct WriteSums {
  private(set) var count: Int64 = 0
  private(set) var received: Int64 = 0
  /// The writes with received payments, in order.
  private var receiving: [ReceivingWrite] = []
  /// Times of the writes that changed the channel.
  private(set) var revisionsNs: [Int64] = []
  private(set) var firstNs: Int64?
  private(set) var lastNs: Int64?

  mutating func add(_ write: NodeWriteEntry) {
    count += 1
    firstNs = min(firstNs ?? .max, write.atMonoNs)
    lastNs = max(lastNs ?? .min, write.atMonoNs)
    guard let summary = write.summary else { return }
    received = received &+ summary.received
    if summary.received > 0 {
      receiving.append(ReceivingWrite(upTo: received, atNs: write.atMonoNs, isRestored: summary.isRestored))
    }
    if summary.revision != nil { revisionsNs.append(write.atMonoNs) }
  }

  /// The write of the receipt with this number, from 1 on.
  func write(ofReceipt number: Int64) -> ReceivingWrite? {
    let place = receiving.countOfFirst { $0.upTo < number }
    return place < receiving.count ? receiving[place] : nil
  }

  static func byEpoch(_ writes: Rows<NodeWriteEntry>) -> [Int64: WriteSums] {
    var sums: [Int64: WriteSums] = [:]
    for write in writes { sums[write.epoch, default: WriteSums()].add(write) }
    return sums
  }
}

/// A write with received payments.
struct ReceivingWrite {
  /// The number of receipts up to this write.
  let upTo: Int64
  let atNs: Int64
  /// It adopted the peer's backup.
  let isRestored: Bool
}

struct InvoiceEntry: Decodable {
  let paymentHash: [UInt8]
  let amountMsat: Int64

  var row: EvidenceRow { .invoice(paymentHash) }
}

/// A row of which only the payment is judged: a cancelled invoice, or an announced payment's record.
struct HashEntry: Decodable { let paymentHash: [UInt8] }

struct ReceivedEntry: Decodable {
  let id: Int64
  let paymentHash: [UInt8]
  let amountMsat: Int64
  let epoch: Int64

  var row: EvidenceRow { .wallet("received_payments", id) }
}

/// An outgoing payment.
struct SentEntry: Decodable {
  let id: Int64
  let paymentHash: [UInt8]
  let amountMsat: Int64
  let paymentSecret: [UInt8]
  let htlc: Int64
  let state: String
  let preimage: [UInt8]?
  let failureCode: Int64?
  let endedEpoch: Int64?

  var isPaid: Bool { state == "paid" }
  var isFailed: Bool { state == "failed" }
  var row: EvidenceRow { .wallet("outgoing_payments", id) }
}

import Ground
import DaemonRuntime
import PhonePolicy
import SharedContainer

/// The payments of a phone: those that the peer holds, then the wallet's own rows, the newest first.
struct PaymentList {
  let entries: [PaymentEntry]
  /// Why the peer's payments are unknown.
  let trouble: String?
  /// The peer runs, and does not say which payments it holds.
  let isPeerSilent: Bool

  init(of phone: Phone, most: Int) throws {
    let wallet = try Self.wallet(of: phone, rows: max(most, ContainerReport.rowsMax))
    let texts = Dictionary((wallet?.invoices ?? []).map { ($0.paymentHash, $0.text) }) { first, _ in first }
    let answer = DaemonAnswer<[PeerPaymentRow]>(to: ControlMessage("payments"), from: .lspd, of: phone)
    trouble = answer.trouble(of: .lspd)
    isPeerSilent = answer.isRunning && trouble != nil
    let wall = phone.clock.wallNanoseconds
    let now = Clock.monotonicNow
    let held = (answer.facts ?? []).compactMap {
      PaymentEntry(atPeer: $0, text: { texts[$0] }, wallNanoseconds: wall, now: now)
    }
    entries = Array((wallet.map { Self.rows(of: $0, held: held) } ?? held.reversed()).prefix(most))
  }

  /// Those of the wallet, after those that the peer holds.
  static func rows(of wallet: WalletView, held: [PaymentEntry] = []) -> [PaymentEntry] {
    let texts = Dictionary(wallet.invoices.map { ($0.paymentHash, $0.text) }) { first, _ in first }
    let received = wallet.payments.map { PaymentEntry($0, text: texts[$0.paymentHash]) }
    return inOrder(
      held: held, [received, wallet.sent.map { PaymentEntry($0) }, wallet.splices.map { PaymentEntry($0) }])
  }

  /// Held payments come first. The lists of the wallet each keep their order, which a step of the wall clock cannot
  /// change; they are merged by epoch, and by wall clock only within one epoch. A row's place depends on newer rows
  /// alone, so a short list is the head of a longer one.
  static func inOrder(held: [PaymentEntry], _ lists: [[PaymentEntry]]) -> [PaymentEntry] {
    // The peer still lists a payment for a moment after the wallet has received it.
    let known = Set(lists.joined().filter { $0.direction == .incoming }.map(\.paymentHash))
    var all = held.filter { !known.contains($0.paymentHash) }.reversed() as [PaymentEntry]
    var rest = lists.map { $0[...] }
    while let place = newest(of: rest) { all.append(rest[place].removeLast()) }
    return all
  }

  /// The list whose last row is the newest; of equal ones the last list.
  private static func newest(of lists: [ArraySlice<PaymentEntry>]) -> Int? {
    var found: (list: Int, row: PaymentEntry)?
    for (number, list) in lists.enumerated() {
      guard let row = list.last, found.map({ !isNewer($0.row, than: row) }) ?? true else { continue }
      found = (number, row)
    }
    return found?.list
  }

  private static func isNewer(_ one: PaymentEntry, than other: PaymentEntry) -> Bool {
    (one.epoch ?? 0, one.atWallNs) > (other.epoch ?? 0, other.atWallNs)
  }

  /// Nil before the wallet has run.
  private static func wallet(of phone: Phone, rows: Int) throws -> WalletView? {
    do throws(ContainerError) {
      return try ContainerReport(of: phone.container, clock: phone.clock, rows: rows).wallet
    } catch {
      switch error {
      case .missing, .notAContainer, .neverBegun: return nil
      default: throw error
      }
    }
  }
}

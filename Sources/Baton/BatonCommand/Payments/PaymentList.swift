import PhoneClient
import Inspection
import Ground
import DaemonRuntime
import Reports
import SharedContainer

/// The payments of a phone: what the peer keeps for the wallet, then the wallet's own rows, the newest first.
struct PaymentList {
  let entries: [PaymentEntry]
  /// Why nothing is known of what the peer keeps.
  let trouble: String?

  init(of phone: Phone, most: Int) throws {
    let wallet = try Self.wallet(of: phone, rows: max(most, ContainerReport.rowsMax))
    let texts = Dictionary((wallet?.invoices ?? []).map { ($0.paymentHash, $0.text) }) { first, _ in first }
    let answer = DaemonAnswer<[PeerPaymentRow]>(to: ControlMessage("payments"), from: .lspd, of: phone)
    trouble = answer.trouble(of: .lspd)
    let wall = phone.clock.wallNanoseconds
    let now = Clock.monotonicNow
    let held = (answer.facts ?? []).compactMap {
      PaymentEntry(atPeer: $0, text: { texts[$0] }, wallNanoseconds: wall, now: now)
    }
    let received = (wallet?.payments ?? []).map { PaymentEntry($0, text: texts[$0.paymentHash]) }
    let sent = (wallet?.sent ?? []).map { PaymentEntry($0) }
    entries = Array(Self.inOrder(held: held, received: received, sent: sent).prefix(most))
  }

  /// What waits comes first. Of the wallet's payments each direction stays in the order of its rows, which a step of the wall
  /// clock cannot change; between the two the later epoch is the newer one, and the wall clock decides within one epoch alone.
  /// A row is placed by the newer ones alone, so that few rows are the head of many.
  static func inOrder(held: [PaymentEntry], received: [PaymentEntry], sent: [PaymentEntry])
    -> [PaymentEntry]
  {
    // One that has been received stands at the peer a moment longer.
    let known = Set(received.map(\.paymentHash))
    var all = held.filter { !known.contains($0.paymentHash) }.reversed() as [PaymentEntry]
    var incoming = received[...]
    var outgoing = sent[...]
    while let one = incoming.last, let other = outgoing.last {
      all.append(isNewer(one, than: other) ? incoming.removeLast() : outgoing.removeLast())
    }
    return all + incoming.reversed() + outgoing.reversed()
  }

  private static func isNewer(_ one: PaymentEntry, than other: PaymentEntry) -> Bool {
    (one.epoch ?? 0, one.atWallNanoseconds) > (other.epoch ?? 0, other.atWallNanoseconds)
  }

  /// Nil before it has run.
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

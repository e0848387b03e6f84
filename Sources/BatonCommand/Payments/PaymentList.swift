import DaemonRuntime
import SharedContainer

/// The payments of a phone, the newest first: what the wallet's own rows say, and what the peer keeps for it.
struct PaymentList {
  let entries: [PaymentEntry]

  init(of phone: Phone, most: Int) throws {
    let held = Self.atPeer(phone)
    let own = try Self.own(phone, most: most)
    // One that has been received stands at the peer a moment longer.
    let known = Set(own.filter { $0.direction == .incoming }.map(\.paymentHash))
    let all = own + held.filter { !known.contains($0.paymentHash) }
    entries = Array(all.sorted { $0.atWallNanoseconds > $1.atWallNanoseconds }.prefix(most))
  }

  private static func own(_ phone: Phone, most: Int) throws -> [PaymentEntry] {
    guard let wallet = try wallet(of: phone, most: most) else { return [] }
    let texts = Dictionary(wallet.invoices.map { ($0.paymentHash, $0.text) }) { first, _ in first }
    // What is on its way may be older than the last ones.
    let shown = Set(wallet.sent.map(\.id))
    return wallet.payments.map { PaymentEntry($0, text: texts[$0.paymentHash]) }
      + (wallet.sent + wallet.sending.filter { !shown.contains($0.id) }).map { PaymentEntry($0) }
  }

  /// Nil before it has run.
  private static func wallet(of phone: Phone, most: Int) throws -> WalletView? {
    do throws(ContainerError) {
      return try ContainerReport(of: phone.container, clock: phone.clock, rows: most).wallet
    } catch {
      switch error {
      case .missing, .notAContainer, .neverBegun: return nil
      default: throw error
      }
    }
  }

  private static func atPeer(_ phone: Phone) -> [PaymentEntry] {
    let answer = DaemonAnswer(to: ControlMessage("payments"), from: .lspd, of: phone)
    let wall = phone.clock.wallNanoseconds
    let now = Clock.monotonicNow
    return (answer.facts?.elements ?? []).compactMap {
      PaymentEntry(atPeer: $0, wallNanoseconds: wall, now: now)
    }
  }
}

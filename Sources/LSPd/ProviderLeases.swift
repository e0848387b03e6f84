import DaemonRuntime
import Glibc
import Ground
import LightningProvider
import PeerTransport

// Serving a ledger that other lspd share: the beat, and the wallets of those that have ended.
extension Provider {
  /// Nothing without a share.
  func beginBeats() {
    guard ledger.share != nil else { return }
    beatTimer = loop.after(LedgerShare.looksEvery) { [weak self] in self?.beat() }
  }

  private func beat() {
    guard let share = ledger.share, !isGoingDown else { return }
    do {
      let hasBeaten = try share.beat(at: clock.now)
      // Not before the beat's answer: a server that kept it waiting has kept the others' beats waiting, too.
      try share.buryDead(at: clock.now)
      if hasBeaten {
        try serveFreePhones()
        try serveDueWallets()
      }
    } catch { fail(error) }
    beginBeats()
  }

  /// Of a shared ledger those that no lspd serves: their holds end on time, and their pushes and webhooks go on.
  func serveDueWallets() throws {
    let due = try ledger.dueWallets().filter { served[$0] == nil }
    guard ledger.share != nil else { return try due.forEach { _ = try wallet($0) } }
    try Takeover.serve(due, clock: { clock.now }) { _ = try wallet($0) }
  }

  private func serveFreePhones() throws {
    guard let share = ledger.share else { return }
    for home in try share.freePhones() where access(home, F_OK) == 0 {
      guard let number = try ledger.wallet(ofPhone: home), phone(of: number) == nil else { continue }
      do {
        try share.lease(number, at: ledger.time(clock.now))
      } catch is WalletElsewhereError { continue }
      let phone = ServedPhone(home: home, wallet: number)
      phones.append(phone)
      phonesWithoutSocket.append(phone)
      _ = try wallet(number)
    }
    // The lspd of a phone may be frozen, and have its socket still: the wallet is served all the same.
    phonesWithoutSocket.removeAll { phone in
      do {
        try listen(for: phone)
        return true
      } catch {
        journal.note("serving the wallet of \(phone.home) without its socket: \(error)")
        return false
      }
    }
  }

  func connectionNumber() throws -> UInt64 { try ledger.share?.nextConnection() ?? nextConnection }

  func paymentNumber() throws -> UInt64 {
    if let share = ledger.share { return try share.nextPayment() }
    defer { nextPayment += 1 }
    return nextPayment
  }

  /// Two requests of one attempt come one after the other, also at two lspd: the second one is turned away.
  func whileLocked<Result>(_ attempt: Bytes32?, _ body: () throws -> Result) throws -> Result {
    guard let share = ledger.share, let attempt else { return try body() }
    return try share.whileLocked(attempt, body)
  }
}

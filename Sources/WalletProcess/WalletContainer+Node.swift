import Ground
import Guardrails
import Wallet
import SharedContainer

// Reads and writes for the node, requests and background tasks.
extension WalletContainer {
  private var bootMoment: BootMoment { BootMoment(boot: clock.boot, clock: clock.bootClock) }

  /// The state that the claim and the check after `init` read.
  func readState(_ reader: NodeReader) throws -> NodeState {
    var state = try WalletStore.readState(reader, at: bootMoment)
    try secrets.check(state)
    secrets.complete(&state.invoices)
    secrets.complete(&state.accepted)
    return state
  }

  func checkRow() {
    switch container.readRow() {
    case .row(let row): say(.rowRead(row))
    case .blocked: say(.storeBlocked)
    case .failed(let error): storeFailed(error)
    }
  }

  func checkAfterInit() {
    let result = container.read { row, reader in (row, try self.readState(reader)) }
    switch result {
    case .read((let row, let state)):
      learnTweaks(state)
      say(.checkedAfterInit(row, state))
    case .blocked: say(.storeBlocked)
    case .failed(let error): storeFailed(error)
    }
  }

  func write(_ change: NodeChange, under claim: Claim) {
    let result = container.fencedWrite(
      under: claim, what: WriteCode.of(change), atMonotonic: clock.now
    ) { writer in
      try WalletStore.apply(
        change, epoch: claim.epoch, wallClockNanoseconds: clock.wallNanoseconds, at: bootMoment, to: writer)
    }
    switch result {
    case .written:
      if let invoice = change.newInvoice { learnTweak(of: invoice) }
      say(.written)
    case .fenced: say(.fenced)
    case .blocked: say(.storeBlocked)
    case .failed(let error): storeFailed(error)
    }
  }

  /// Answered at once: the wallet gets the answer before the results of later orders.
  func readPast(_ hash: Bytes32) {
    switch container.read({ _, reader in try OutgoingPaymentTable.past(hash, reader) }) {
    case .read(let past): say(.requests(.pastRead(hash, past)))
    case .blocked:
      say(.requests(.pastNotRead(hash, "the wallet's database is in use and no payment was sent; try again")))
    case .failed(let error): say(.requests(.pastNotRead(hash, "\(error)")))
    }
  }

  /// One short read, like the guard's: who holds the node, and whether the channel can be read.
  func lookAtWallet() -> BackgroundStep {
    let result = container.read { row, reader in
      let state = try WalletStore.readState(reader, at: bootMoment)
      let owner = row.map { "epoch \($0.epoch)" } ?? "no process has owned the node yet"
      return "\(owner), \(state.channel == nil ? "no channel" : "the channel can be read")"
    }
    switch result {
    case .read(let sentence): return .done(sentence)
    case .blocked(let holder):
      return .busy(
        "the container is blocked: \(holder.map { "\($0)" } ?? "an unknown process is inside a transaction")")
    case .failed(let error): return .failed("\(error)")
    }
  }
}

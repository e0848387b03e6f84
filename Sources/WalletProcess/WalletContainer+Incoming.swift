import Ground
import Guardrails
import SharedContainer
import Wallet

// The records of announced payments, and what the node's own tables say of these payments.
extension WalletContainer {
  func readIncoming(_ asked: [Bytes32]) {
    guard let completion else { return }
    do throws(RecordsTrouble) {
      let (records, unread) = try completion.records()
      if unread != unreadRecords, unread > 0 {
        journal.note(
          "the store of announced payments has \(unread) more rows than an extension leaves: they are not read"
        )
      }
      unreadRecords = unread
      let hashes = records.map(\.paymentHash)
      let all = hashes + asked.filter { !hashes.contains($0) }
      guard !all.isEmpty else { return say(.recordsRead(records, received: [], atWallSeconds: wallSeconds)) }
      switch container.read({ _, reader in
        try all.flatMap { try ReceivedPaymentTable.readSettled(paymentHash: $0, reader) }
      }) {
      case .read(let received): say(.recordsRead(records, received: received, atWallSeconds: wallSeconds))
      case .blocked: say(.recordsNotRead(.blocked(pid: nil, isStopped: false)))
      case .failed(let error):
        if error.isLossOfTheContainer { loss = error }
        say(.recordsNotRead(error.isLossOfTheContainer ? .lost("\(error)") : .failed("\(error)")))
      }
    } catch { say(.recordsNotRead(error.trouble)) }
  }

  func removeIncoming(_ records: [IncomingRecord]) {
    guard let completion else { return }
    do throws(RecordsTrouble) {
      let changed = try completion.remove(records)
      say(.removed(records.map(\.paymentHash).filter { !changed.contains($0) }, changed: changed))
    } catch { say(.notRemoved(error.trouble)) }
  }

  private var wallSeconds: Int64 { clock.wallNanoseconds / 1_000_000_000 }

  private func say(_ event: IncomingEvent) { onEvent?(.incoming(event)) }
}

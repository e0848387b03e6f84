import Crypto
import Testing

@testable import LightningChannel
@testable import LightningNode

@Suite("The invoice of a payment that is accepted") struct AcceptedInvoiceTests {
  private func invoice(_ number: UInt64) -> Invoice {
    Invoice(
      paymentHash: paymentHash(number), amountMsat: 1000, text: "tea", tweak: SHA256.hash([UInt8(number)]),
      expiresAt: 5)
  }

  /// A wallet that has accepted payment 1, in two parts, and has payment 2 before it.
  private func channel() throws -> Channel {
    var peer = try Channel(id: channelID, localMsat: 5000, remoteMsat: 0, isOpener: true)
    var wallet = try Channel(id: channelID, localMsat: 0, remoteMsat: 5000, isOpener: false)
    let hello = peer.reestablish()
    _ = try peer.receive(wallet.reestablish())
    _ = try wallet.receive(hello)
    for (number, msat) in [(1, 600), (1, 500), (2, 1000)] as [(UInt64, UInt64)] {
      _ = try peer.offer(amountMsat: msat, paymentHash: paymentHash(number), cltvExpiry: 700)
    }
    while wallet.committedHTLCs.isEmpty {
      for case .message(let message) in peer.takeOutgoing() { _ = try wallet.receive(message) }
      for case .message(let message) in wallet.takeOutgoing() { _ = try peer.receive(message) }
    }
    for htlc in wallet.committedHTLCs where htlc.paymentHash == paymentHash(1) { try wallet.fulfill(htlc.id) }
    return try Channel(restoring: wallet.record)
  }

  @Test(
    "is in the backup behind the open ones, and is there again when that is read; one that is over is not")
  func inTheBackup() throws {
    let backup = NodeBackup(channel: try channel(), open: [invoice(2)], accepted: [invoice(3), invoice(1)])
    #expect(backup.invoices == [invoice(2), invoice(1)])
    #expect(NodeBackup.read(backup.encoded()) == .backup(backup))
  }

  @Test(
    "is adopted as what it is: its payment counts as received, with all its parts, and only where it is not known"
  )
  func adopted() throws {
    let channel = try channel()
    let backup = NodeBackup(channel: channel, open: [invoice(2)], accepted: [invoice(1)])
    let change = backup.change(after: [])
    #expect(change.received == [Receipt(invoice: invoice(1), amountMsat: 1100)])
    #expect(change.restored == backup.invoices && change.channel == channel)
    var state = NodeState()
    state.followInvoices(change)
    #expect(state.invoices == [invoice(2)] && state.accepted == [invoice(1)])
    #expect(backup.change(after: [invoice(1)]).received == [])
  }

  @Test(
    "that the backup has as open again is not open here: a second receipt for it would be refused at each connection"
  )
  func openAgain() throws {
    let backup = NodeBackup(channel: try channel(), open: [invoice(2), invoice(3)], accepted: [invoice(1)])
    let change = backup.change(after: [invoice(1), invoice(3)])
    #expect(change.received == [] && change.restored == [invoice(2), invoice(1)])
    var state = NodeState(accepted: [invoice(1), invoice(3)])
    state.followInvoices(change)
    #expect(state.invoices == [invoice(2)] && state.accepted == [invoice(1)])
  }

  @Test("stays known to the owner until its HTLC is out of the channel, and is not open meanwhile")
  func followed() throws {
    var state = NodeState(invoices: [invoice(1), invoice(2)])
    let receipt = Receipt(invoice: invoice(1), amountMsat: 1100)
    state.followInvoices(NodeChange(channel: try channel(), received: [receipt]))
    #expect(state.invoices == [invoice(2)] && state.accepted == [invoice(1)])
    // A backup of an older program says nothing of it.
    state.followInvoices(NodeChange(channel: try channel(), restored: [invoice(2)]))
    #expect(state.accepted == [invoice(1)])
    let after = try Channel(id: channelID, localMsat: 1100, remoteMsat: 0, isOpener: false)
    state.followInvoices(NodeChange(channel: after))
    #expect(state.invoices == [invoice(2)] && state.accepted == [])
  }
}

@testable import Lightning
@testable import Wallet

@Suite("The invoice of an accepted payment") struct AcceptedInvoiceTests {
  private func invoice(_ number: UInt64) -> Invoice {
    Invoice(
      paymentHash: paymentHash(number), amountMsat: 1000, text: "tea", tweak: SHA256.hash([UInt8(number)]),
      expiresAt: 5)
  }

  /// A wallet that has accepted payment 1, in two parts; payment 2 is committed and undecided.
  private func channel() throws -> Channel {
    var peer = try Channel(id: channelID, localMsat: 5000, remoteMsat: 0, isOpener: true)
    var wallet = try Channel(id: channelID, localMsat: 0, remoteMsat: 5000, isOpener: false)
    let fromPeer = peer.reestablish()
    _ = try peer.receive(wallet.reestablish())
    _ = try wallet.receive(fromPeer)
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

  @Test func `The backup keeps an accepted invoice while its HTLC is in the channel`() throws {
    let backup = NodeBackup(channel: try channel(), open: [invoice(2)], accepted: [invoice(3), invoice(1)])
    expect(backup.invoices, is: [invoice(2), invoice(1)])
    expect(NodeBackup.read(backup.encoded()), is: .backup(backup))
  }

  @Test
  func `An adopted backup records an accepted payment as received, unless it is already recorded`() throws {
    let channel = try channel()
    let backup = NodeBackup(channel: channel, open: [invoice(2)], accepted: [invoice(1)])
    let change = backup.change(after: [], history: 1)
    expect(change.received, is: [Receipt(invoice: invoice(1), amountMsat: 1100)])
    #expect(change.restored == backup.invoices && change.channel?.htlcs == channel.htlcs)
    expect(change.channel?.revision, is: 1_000_000)
    var state = NodeState()
    state.followInvoices(change)
    #expect(state.invoices == [invoice(2)] && state.accepted == [invoice(1)])
    expect(backup.change(after: [invoice(1)], history: 1).received, is: [])
  }

  @Test func `An adopted backup does not reopen an accepted invoice that it lists as open`() throws {
    let backup = NodeBackup(channel: try channel(), open: [invoice(2), invoice(3)], accepted: [invoice(1)])
    let change = backup.change(after: [invoice(1), invoice(3)], history: 1)
    #expect(change.received == [] && change.restored == [invoice(2), invoice(1)])
    var state = NodeState(accepted: [invoice(1), invoice(3)])
    state.followInvoices(change)
    #expect(state.invoices == [invoice(2)] && state.accepted == [invoice(1)])
  }

  @Test func `The node's state keeps an accepted invoice until its HTLC leaves the channel`() throws {
    var state = NodeState(invoices: [invoice(1), invoice(2)])
    let receipt = Receipt(invoice: invoice(1), amountMsat: 1100)
    state.followInvoices(NodeChange(channel: try channel(), received: [receipt]))
    #expect(state.invoices == [invoice(2)] && state.accepted == [invoice(1)])
    // A backup that does not list the accepted invoice.
    state.followInvoices(NodeChange(channel: try channel(), restored: [invoice(2)]))
    expect(state.accepted, is: [invoice(1)])
    let after = try Channel(id: channelID, localMsat: 1100, remoteMsat: 0, isOpener: false)
    state.followInvoices(NodeChange(channel: after))
    #expect(state.invoices == [invoice(2)] && state.accepted == [])
  }
}

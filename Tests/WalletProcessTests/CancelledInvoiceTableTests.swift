import Platform
import WalletProcess

@Suite("Cancelled invoices in the container") final class CancelledInvoiceTableTests {
  private let scratch = ScratchContainer()
  private let invoices = [UInt8](1...2).map { number in
    let hash = Bytes32([UInt8](repeating: number, count: 32)) ?? .zero
    return Invoice(paymentHash: hash, amountMsat: 1000, text: "tea", tweak: hash, expiresAt: 9)
  }

  @Test func `A cancelled invoice is not open, keeps its row, and no backup reopens it`() throws {
    let container = try scratch.open()
    let (claim, _) = try scratch.claim(container)
    for invoice in invoices { try scratch.write(NodeChange(newInvoice: invoice), claim, container) }
    let hash = invoices[0].paymentHash
    // Twice, as when a write fails after its commit and the user repeats the request.
    for _ in 0..<2 { try scratch.write(NodeChange(cancelled: hash), claim, container) }
    expect(try scratch.state(container).invoices, is: [invoices[1]])
    try scratch.write(NodeChange(restored: invoices), claim, container)
    expect(try scratch.claim(container, seen: 1).1.invoices, is: [invoices[1]])
    expect(try scratch.read(container) { try $0.rows("SELECT 1 FROM invoices").count }, is: 2)
  }

  @Test func `A process whose claim is no longer the highest cannot cancel an invoice`() throws {
    let container = try scratch.open()
    let (old, _) = try scratch.claim(container)
    try scratch.write(NodeChange(newInvoice: invoices[0]), old, container)
    _ = try scratch.claim(container, seen: 1)
    #expect(throws: (any Error).self) {
      try scratch.write(NodeChange(cancelled: invoices[0].paymentHash), old, container)
    }
    expect(try scratch.state(container).invoices, is: [invoices[0]])
  }
}

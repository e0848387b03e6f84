import Foundation
import WalletProcess

/// Received payments that a push may report without a connection, in a real container.
@Suite("Settled payments") final class SettledPaymentTests {
  private let scratch = ScratchContainer()

  @Test func `A received payment counts as settled only when its HTLC has left the channel`() throws {
    let container = try scratch.open()
    let (claim, _) = try scratch.claim(container)
    let (one, two) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
    try scratch.write(claim, container) { writer in
      try writer.execute(
        "INSERT INTO channels VALUES (x'07', 0, 0, 0, 0, 0, 0, 0, x'00', 0, 0, 0, 0, NULL, NULL)")
      for hash in [one, two] {
        try writer.execute(
          "INSERT INTO invoices VALUES (?, 5, 'x', ?, 0)", [.blob(hash), .blob(hash)])
        try writer.execute(
          "INSERT INTO received_payments (payment_hash, amount_msat, epoch, received_wall_ns) VALUES (?, 5, 1, 0)",
          [.blob(hash)])
      }
      try offer(one, "received", 0, writer)
      // An offered HTLC in the same table does not keep its hash from being settled.
      try offer(two, "offered", 0, writer)
    }
    #expect(try settled(container, one) == ([], ["02"]))
    #expect(try settled(container, two) == (["02"], ["02"]))
    try scratch.write(claim, container) { try $0.execute("DELETE FROM htlcs WHERE direction = 'received'") }
    #expect(try settled(container, one) == (["01"], ["01", "02"]))
  }

  private func offer(_ hash: [UInt8], _ direction: String, _ id: Int64, _ writer: NodeWriter) throws {
    try writer.execute(
      "INSERT INTO htlcs (channel, direction, id, amount_msat, payment_hash, cltv_expiry, state) VALUES (x'07', ?, ?, 5, ?, 9, 's')",
      [.text(direction), .integer(id), .blob(hash)])
  }

  /// The settled payments of this hash, and all of them, as the first byte of each hash.
  private func settled(_ container: SharedContainer, _ hash: [UInt8]) throws -> ([String], [String]) {
    let wanted = try #require(Bytes32(hash))
    return try scratch.read(container) { reader in
      (
        try ReceivedPaymentTable.readSettled(paymentHash: wanted, reader).map(Self.firstByte),
        try ReceivedPaymentTable.readSettled(after: 0, reader).map(Self.firstByte)
      )
    }
  }

  private static func firstByte(_ payment: ReceivedPayment) -> String {
    String(payment.paymentHash.hex.prefix(2))
  }
}

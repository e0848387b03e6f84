@testable import Baton
@testable import PhonePolicy

@Suite("The order of payments", .waits) struct PaymentOrderTests {
  private func received(_ id: Int64, epoch: Int64, wall: Int64) -> PaymentEntry {
    PaymentEntry(
      WalletView.PaymentFacts(
        id: id, paymentHash: "in-\(id)", amountMsat: 1, epoch: epoch, receivedWallNs: wall), text: nil)
  }

  private func sent(_ id: Int64, epoch: Int64, wall: Int64, code: Int64? = nil) -> PaymentEntry {
    PaymentEntry(
      WalletView.SentFacts(
        id: id, paymentHash: "out-\(id)", amountMsat: 1, state: code == nil ? "paid" : "failed",
        failureCode: code, begunEpoch: epoch, begunWallNs: wall))
  }

  /// In order: in-1, out-1, in-2, then the wall clock steps back by an hour, in-3, out-2, in-4.
  private var steppedBack: (received: [PaymentEntry], sent: [PaymentEntry]) {
    (
      [
        received(1, epoch: 1, wall: 4000), received(2, epoch: 1, wall: 4200),
        received(3, epoch: 2, wall: 700), received(4, epoch: 2, wall: 900),
      ],
      [sent(1, epoch: 1, wall: 4100), sent(2, epoch: 2, wall: 800)]
    )
  }

  private func order(_ received: some Sequence<PaymentEntry>, _ sent: some Sequence<PaymentEntry>)
    -> [String?]
  {
    PaymentList.inOrder(held: [], [Array(received), Array(sent)]).map(\.paymentHash)
  }

  @Test func `Payments keep the order of their rows when the wall clock steps back`() {
    let all = steppedBack
    expect(order(all.received, all.sent), is: ["in-4", "out-2", "in-3", "in-2", "out-1", "in-1"])
    // If the clock steps within one epoch, each direction still keeps its order.
    let within = [received(1, epoch: 1, wall: 9000), received(2, epoch: 1, wall: 10)]
    expect(order(within, []), is: ["in-2", "in-1"])
  }

  @Test func `A list of the newest few payments is the beginning of the whole list`() {
    let all = steppedBack
    let whole = order(all.received, all.sent)
    for count in 1...6 {
      let few = order(all.received.suffix(count), all.sent.suffix(count)).prefix(count)
      expect(Array(few), is: Array(whole.prefix(count)))
    }
  }

  @Test func `Payments held at the peer come first, newest first, and no payment twice`() throws {
    func atPeer(_ hash: String, _ at: Int) throws -> PaymentEntry {
      var facts = PeerPaymentRow(
        id: 1, paymentHash: hash, amountMsat: 7, state: "held", requestedAtNs: Int64(at))
      facts.holdUntilNs = 90
      return try #require(
        PaymentEntry(
          atPeer: facts, text: { $0 == "h-2" ? "Coffee" : nil }, wallNanoseconds: 0,
          now: Instant(nanoseconds: 50)))
    }
    let held = [try atPeer("h-1", 1), try atPeer("in-1", 2), try atPeer("h-2", 3)]
    let all = PaymentList.inOrder(held: held, [[received(1, epoch: 1, wall: 5)], []])
    expect(all.map(\.paymentHash), is: ["h-2", "h-1", "in-1"])
    #expect(all.map(\.text) == ["Coffee", nil, nil] && all[0].cells.last == "Coffee")
  }

  @Test func `A withdrawal stands among the payments by its time, with its transaction and fee`() throws {
    let withdrawn = PaymentEntry(
      WalletView.SpliceFacts(
        txid: "4d3c", state: "done", amountMsat: 4_000_000, feeMsat: 300_000, begunEpoch: 1,
        begunWallNs: 4150))
    let all = PaymentList.inOrder(held: [], [steppedBack.received, steppedBack.sent, [withdrawn]])
    expect(
      all.map { $0.paymentHash ?? $0.txid }, is: ["in-4", "out-2", "in-3", "in-2", "4d3c", "out-1", "in-1"])
    expect(withdrawn.cells.dropFirst(), is: ["out", "4,000 sat", "withdrawal done, fee 300 sat", "4d3c", ""])
  }

  @Test func `baton list payments names a failure code as baton send does`() {
    let failed = sent(1, epoch: 1, wall: 1, code: 16399)
    #expect(failed.cells.contains("failed: incorrect_or_unknown_payment_details (0x400f)"))
    #expect(failed.json.contains(#""failure_code":16399,"code_name":"incorrect_or_unknown_payment_details""#))
    #expect(sent(1, epoch: 1, wall: 1, code: 0x4fff).cells.contains("failed: code 0x4fff"))
  }
}

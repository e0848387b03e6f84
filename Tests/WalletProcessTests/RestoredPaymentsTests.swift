import Foundation
import WalletProcess

/// Outgoing payments, when an old copy of the database adopts a newer channel from the peer's backup.
@Suite("Outgoing payments after a restored backup") final class RestoredPaymentsTests {
  private let scratch: ScratchContainer
  private let preimage = SHA256.hash([1])
  private let container: SharedContainer
  private let claim: Claim

  init() throws {
    scratch = ScratchContainer()
    container = try scratch.open()
    claim = try scratch.claim(container).0
  }

  private var hash: Bytes32 { SHA256.hash(preimage.bytes) }

  private func payment(_ htlc: UInt64) -> OutgoingPayment {
    OutgoingPayment(paymentHash: hash, amountMsat: 1000, paymentSecret: SHA256.hash([2]), htlc: htlc)
  }

  /// The wallet's channel after `failures` failed attempts: with the end of the next attempt signed but not complete,
  /// or, without an end, while that attempt is pending.
  private func channel(afterFailures failures: Int, end: PaymentEnd?) throws -> Channel {
    var wallet = try Channel(id: SHA256.hash([3]), localMsat: 9000, remoteMsat: 0, isOpener: false)
    var peer = try Channel(id: SHA256.hash([3]), localMsat: 0, remoteMsat: 9000, isOpener: true)
    let fromPeer = peer.reestablish()
    _ = try peer.receive(wallet.reestablish())
    _ = try wallet.receive(fromPeer)
    for number in 0...failures {
      let id = try wallet.offer(
        amountMsat: 1000, paymentHash: hash, cltvExpiry: 700,
        paymentData: PaymentData(secret: SHA256.hash([2]), totalMsat: 1000))
      try exchange(&wallet, &peer) { _ in false }
      let isLast = number == failures
      if isLast, end == nil { return wallet }
      if isLast, case .paid = end { try peer.fulfill(id) } else { try peer.fail(id, code: 16399) }
      let isReached = try exchange(&wallet, &peer) { wallet in
        isLast && wallet.htlcs.contains { $0.removal != nil && $0.state != .receivedRemove }
      }
      if isLast { #expect(isReached) }
    }
    return wallet
  }

  /// Exchanges messages until both queues are empty or `isThere` holds for the wallet. Returns whether it holds.
  @discardableResult private func exchange(
    _ wallet: inout Channel, _ peer: inout Channel, until isThere: (Channel) -> Bool
  ) throws -> Bool {
    while true {
      let (ours, theirs) = (wallet.takeOutgoing(), peer.takeOutgoing())
      if ours.isEmpty, theirs.isEmpty { return false }
      for outgoing in theirs {
        _ = try wallet.receive(message(outgoing, of: peer))
        if isThere(wallet) { return true }
      }
      for outgoing in ours { _ = try peer.receive(message(outgoing, of: wallet)) }
    }
  }

  private func message(_ outgoing: ChannelOutgoing, of channel: Channel) -> Message {
    switch outgoing {
    case .message(let message): message
    case .fulfill(let id, _): channel.fulfilMessage(id, preimage: preimage)
    }
  }

  private func write(_ change: NodeChange) throws { try scratch.write(change, claim, container) }

  private func rows() throws -> [[String]] {
    try scratch.read(container) { reader in
      try reader.rows("SELECT htlc, state, coalesce(hex(preimage), '') FROM outgoing_payments ORDER BY id")
        .map { ["\(try $0.integer(0))", try $0.text(1), try $0.text(2)] }
    }
  }

  private func past(_ hash: Bytes32) throws -> PastPayment? {
    try scratch.read(container) { try OutgoingPaymentTable.past(hash, $0) }
  }

  private func restore(_ channel: Channel, over copy: [OutgoingPayment]) throws {
    if !copy.isEmpty { try write(NodeChange(payments: PaymentChange(offered: copy))) }
    var (inMemory, past) = (OutgoingPayments(pending: copy), PastPayments())
    past.follow(channel, &inMemory)
    var ofNode = OutgoingPayments(pending: copy)
    ofNode.follow(channel)
    expect(ofNode, is: inMemory)
    try write(NodeChange(channel: channel, restored: []))
    expect(try scratch.state(container).payments, is: inMemory)
    for hash in [hash] + copy.map(\.paymentHash) { expect(try self.past(hash), is: past[hash]) }
  }

  @Test func `A payment pending in the old database ends with its result in the restored channel`() throws {
    try restore(try channel(afterFailures: 0, end: .paid(preimage: preimage)), over: [payment(0)])
    expect(try rows(), is: [["0", "paid", preimage.hex.uppercased()]])
  }

  @Test
  func `A failed payment that the old database does not have is stored as failed and may be repeated`() throws
  {
    try restore(try channel(afterFailures: 0, end: .failed(code: 16399)), over: [])
    expect(try rows(), is: [["0", "failed", ""]])
    try write(NodeChange(payments: PaymentChange(offered: [payment(1)])))
  }

  @Test
  func `A payment pending in the old database and the restored channel stays pending and uses up no row id`()
    throws
  {
    try restore(try channel(afterFailures: 0, end: nil), over: [payment(0)])
    expect(try rows(), is: [["0", "pending", ""]])
    try write(NodeChange(payments: PaymentChange(ended: [.init(payment: payment(0), end: .failed(code: 1))])))
    try write(NodeChange(payments: PaymentChange(offered: [payment(1)])))
    let newest = try scratch.read(container) { reader in
      try reader.firstRow("SELECT max(id) FROM outgoing_payments")?.integer(0)
    }
    expect(newest, is: 2)
  }

  @Test
  func `A later attempt in the restored channel replaces the old database's attempt of the payment`() throws {
    try restore(try channel(afterFailures: 1, end: nil), over: [payment(0)])
    expect(try rows(), is: [["1", "pending", ""]])
    try write(
      NodeChange(
        payments: PaymentChange(ended: [.init(payment: payment(1), end: .paid(preimage: preimage))])))
    expect(try rows(), is: [["1", "paid", preimage.hex.uppercased()]])
  }

  @Test func `A pending payment that is missing in the restored channel is marked lost`() throws {
    var other = payment(0)
    other.paymentHash = SHA256.hash([9])
    try restore(try channel(afterFailures: 1, end: nil), over: [other])
    expect(try rows(), is: [["0", "lost", ""], ["1", "pending", ""]])
    expect(try past(other.paymentHash), is: .lost)
  }

  @Test func `A payment stored as paid stays paid, even if an adopted channel has it pending`() throws {
    let channel = try channel(afterFailures: 1, end: nil)
    try write(NodeChange(payments: PaymentChange(offered: [payment(0)])))
    try write(
      NodeChange(
        payments: PaymentChange(ended: [.init(payment: payment(0), end: .paid(preimage: preimage))])))
    try write(NodeChange(channel: channel, restored: []))
    expect(try rows(), is: [["0", "paid", preimage.hex.uppercased()]])
    expect(try past(hash), is: .paid)
  }
}

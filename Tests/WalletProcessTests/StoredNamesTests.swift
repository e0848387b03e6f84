import LightningProvider
import WalletProcess

@testable import LightningIO

/// Existing databases have these values: renaming a Swift case must not change them.
@Suite("The stored names of values") struct StoredNamesTests {
  private func names<Value: CaseIterable>(_: Value.Type) -> [String] { Value.allCases.map { "\($0)" } }

  private func rawValues<Value: RawRepresentable<String> & CaseIterable>(_: Value.Type) -> [String] {
    Value.allCases.map(\.rawValue)
  }

  @Test func `HTLC and splice states have fixed stored names`() {
    expect(names(HTLCDirection.self), is: ["offered", "received"])
    expect(
      names(HTLCState.self),
      is: [
        "sentAdd", "sentAddCommit", "receivedAddRevocation", "receivedAddAckCommit", "sentAddAckRevocation",
        "receivedRemove", "receivedRemoveCommit", "sentRemoveRevocation", "sentRemoveAckCommit",
        "receivedAdd", "receivedAddCommit", "sentAddRevocation", "sentAddAckCommit",
        "receivedAddAckRevocation", "sentRemove", "sentRemoveCommit", "receivedRemoveRevocation",
        "receivedRemoveAckCommit",
      ])
    expect(names(PendingSplice.Stage.self), is: ["signing", "committed", "signed"])
    expect(rawValues(SpliceEnd.self), is: ["done", "forgotten", "lost"])
  }

  @Test func `Claims, payments and connection verdicts have fixed stored names`() {
    expect(rawValues(Role.self), is: ["app", "extension"])
    expect(
      rawValues(ClaimReason.self),
      is: [
        "never-claimed", "holder-released", "holder-died", "holder-silent", "holder-of-earlier-boot",
        "raised-above-peer", "raised-to-move-here",
      ])
    expect([PastPayment.paid, .lost].map(\.rawValue), is: ["paid", "lost"])
    expect(
      rawValues(PushReason.self),
      is: [
        "IncomingPayment", "PendingSettlement", "orderPaymentConfirmed", "mutualClose",
      ])
    expect(rawValues(DataLoss.self), is: ["wallet", "peer"])
    expect(
      rawValues(ConnectionVerdict.self),
      is: [
        "accepted", "unfenced", "visitor", "refused-without-fence", "refused-lower-epoch",
        "refused-other-incarnation", "refused-other-container",
      ])
  }

  @Test func `The stored code of a write names each changed part once and can be read back`() throws {
    let channel = try Channel(id: SHA256.hash([1]), localMsat: 1, remoteMsat: 1, isOpener: false)
    expect(WriteCode.of(NodeChange()), is: "")
    expect(
      WriteCode.of(NodeChange(channel: channel, restored: [])), is: "restored=1 revision=\(channel.revision)")
    var change = NodeChange(waiting: [])
    change.cancelled = SHA256.hash([2])
    change.failure = ChannelFailure(channel: channel.id, reason: "=")
    let code = WriteCode.of(change)
    expect(code, is: "cancelled=1 waiting=0 failed=1")
    expect(WriteCode.read(code)?.map(\.part), is: [.cancelled, .waiting, .failed])
    expect(WriteCode.read(code)?.map(\.number), is: [1, 0, 1])
    for text in ["channel revision 7, received 1", "revision", "revision=", "revision=-1", "others=1"] {
      #expect(WriteCode.read(text) == nil, "\(text)")
    }
  }
}

@Suite("The stored state after each step") final class StoredStateTests {
  private let scratch: ScratchContainer
  private let container: SharedContainer
  private let claim: Claim

  init() throws {
    scratch = ScratchContainer()
    container = try scratch.open()
    claim = try scratch.claim(container).0
  }

  // MARK: The channel

  /// Every column changes during one payment in each direction.
  @Test func `A channel is read as written at each step of its payments`() throws {
    var peer = try Channel(id: SHA256.hash([1]), localMsat: 5000, remoteMsat: 2000, isOpener: true)
    var wallet = try Channel(id: SHA256.hash([1]), localMsat: 2000, remoteMsat: 5000, isOpener: false)
    let fromPeer = peer.reestablish()
    _ = try peer.receive(wallet.reestablish())
    _ = try wallet.receive(fromPeer)
    let preimage = SHA256.hash([2])
    let hash = SHA256.hash(preimage.bytes)
    let data = PaymentData(secret: SHA256.hash([3]), totalMsat: 1000)
    _ = try peer.offer(amountMsat: 1000, paymentHash: hash, cltvExpiry: 700, paymentData: data)
    _ = try wallet.offer(amountMsat: 500, paymentHash: hash, cltvExpiry: 701)
    var written: [ChannelRecord] = []
    func keep() throws {
      guard wallet.record != written.last else { return }
      try write(NodeChange(channel: wallet))
      written.append(wallet.record)
      expect(try scratch.state(container).channel?.record, is: try Channel(restoring: wallet.record).record)
    }
    var isQuiet = false
    while !isQuiet {
      for htlc in wallet.committedHTLCs { try wallet.fulfill(htlc.id) }
      for htlc in peer.committedHTLCs { try peer.fail(htlc.id, code: 16399) }
      let (ours, theirs) = (wallet.takeOutgoing(), peer.takeOutgoing())
      try keep()
      isQuiet = ours.isEmpty && theirs.isEmpty
      for outgoing in theirs {
        _ = try wallet.receive(message(outgoing, of: peer, preimage))
        try keep()
      }
      for outgoing in ours { _ = try peer.receive(message(outgoing, of: wallet, preimage)) }
    }
    #expect((wallet.localMsat, wallet.htlcs) == (3000, []))
    let revokedLast = written.map(\.sentRevocationLast)
    #expect(zip(revokedLast, revokedLast.dropFirst()).contains { $0 == (false, true) })
    #expect(zip(revokedLast, revokedLast.dropFirst()).contains { $0 == (true, false) })
  }

  private func message(_ outgoing: ChannelOutgoing, of channel: Channel, _ preimage: Bytes32) -> Message {
    switch outgoing {
    case .message(let message): message
    case .fulfill(let id, _): channel.fulfilMessage(id, preimage: preimage)
    }
  }

  @Test func `A channel of the same or an older revision is not written`() throws {
    var record = ChannelRecord(id: SHA256.hash([1]), isOpener: false, localMsat: 1, remoteMsat: 2)
    record.revision = 7
    try write(NodeChange(channel: try Channel(restoring: record)))
    (record.localMsat, record.remoteMsat) = (2, 1)
    for revision: UInt64 in [7, 6] {
      record.revision = revision
      let channel = try Channel(restoring: record)
      #expect(throws: (any Error).self) { try write(NodeChange(channel: channel)) }
    }
    expect(try scratch.state(container).channel?.localMsat, is: 1)
  }

  // MARK: Outgoing payments

  @Test(arguments: [PaymentEnd.paid(preimage: SHA256.hash([4])), .failed(code: 16399)])
  func `An outgoing payment's row has the epoch and time of its start and of its end`(end: PaymentEnd) throws
  {
    let payment = OutgoingPayment(
      paymentHash: SHA256.hash([5]), amountMsat: 1000, paymentSecret: SHA256.hash([6]), htlc: 0)
    try write(NodeChange(payments: PaymentChange(offered: [payment])), wallNanoseconds: 41)
    expect(try moments(), is: [1, 41, nil, nil])
    try write(
      NodeChange(payments: PaymentChange(ended: [.init(payment: payment, end: end)])), wallNanoseconds: 42)
    expect(try moments(), is: [1, 41, 1, 42])
  }

  @Test func `An outgoing payment lost in a restore has the epoch and time of its end`() throws {
    let payment = OutgoingPayment(
      paymentHash: SHA256.hash([5]), amountMsat: 1000, paymentSecret: SHA256.hash([6]), htlc: 0)
    try write(NodeChange(payments: PaymentChange(offered: [payment])), wallNanoseconds: 41)
    var record = ChannelRecord(id: SHA256.hash([1]), isOpener: false, localMsat: 1, remoteMsat: 2)
    record.nextOfferedID = 1
    record.revision = 1
    try write(NodeChange(channel: try Channel(restoring: record), restored: []), wallNanoseconds: 42)
    expect(try moments(), is: [1, 41, 1, 42])
  }

  private func moments() throws -> [Int64?] {
    try scratch.read(container) { reader in
      let row = try reader.firstRow(
        "SELECT begun_epoch, begun_wall_ns, ended_epoch, ended_wall_ns FROM outgoing_payments")
      return try (0..<4).map { try row?.optionalInteger($0) }
    }
  }

  private func write(_ change: NodeChange, wallNanoseconds: Int64 = 0) throws {
    try scratch.write(claim, container) { writer in
      try WalletStore.apply(
        change, epoch: claim.epoch, wallClockNanoseconds: wallNanoseconds, at: scratch.now, to: writer)
    }
  }
}

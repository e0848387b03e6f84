/// Evidence of a run of any length: payments received one after the other, ten per process, app and extension in
/// turn, each with its invoice, its push and all frames of both ends.
struct LargeRun {
  private static let paymentsOfProcess = 10
  private static let msat: Int64 = 1000
  private static let none = [UInt8](repeating: 0, count: 32)

  let run: SampleRun
  private var epoch: Int64 = 0

  private init(_ home: String?) throws { run = try SampleRun(home: home) }

  static func tell(payments: Int, home: String? = nil) throws -> SampleRun {
    var large = try LargeRun(home)
    for database in [large.run.wallet, large.run.ledger] { try database.execute("BEGIN") }
    for first in stride(from: 0, to: payments, by: paymentsOfProcess) {
      try large.live(first..<min(first + paymentsOfProcess, payments))
    }
    try large.leave(payments)
    for database in [large.run.wallet, large.run.ledger] { try database.execute("COMMIT") }
    try large.run.finish()
    return large.run
  }

  private static func preimage(_ payment: Int) -> [UInt8] {
    WireBytes.sha256(Array("preimage \(payment)".utf8))
  }

  /// One process from start to end.
  private mutating func live(_ payments: Range<Int>) throws {
    epoch += 1
    let role = epoch.isMultiple(of: 2) ? "extension" : "app"
    let pid = 100 + epoch
    let process = run.start(role == "app" ? "mainappd" : "notifyextd", pid: pid)
    try run.claim(epoch, role, pid: pid, process, "holder-died")
    try run.connect(epoch)
    let step = UInt64(2 * payments.lowerBound)
    try run.sendInit(epoch, epoch: epoch, highest: epoch, reestablish: reestablish(step, ofPeer: false))
    if epoch == 1 { try run.write(epoch, process) }
    try run.receive(epoch, reestablish(step, ofPeer: true))
    for payment in payments { try receive(payment, process) }
    try run.close(epoch, "the other side disconnected")
    process.end(at: run.now)
    run.ended(epoch, role, pid: pid, how: "exited", number: 0, reason: "ended when it was asked to")
  }

  private func reestablish(_ step: UInt64, ofPeer: Bool) -> [UInt8] {
    WireBytes.reestablish(
      nextCommitment: step + 1, nextRevocation: step,
      secret: step == 0 ? Self.none : WireBytes.secret(ofPeer: ofPeer, step - 1))
  }

  private func revoke(peer: Bool, _ number: Int) -> [UInt8] {
    WireBytes.revoke(secret: WireBytes.secret(ofPeer: peer, UInt64(number)))
  }

  private func receive(_ place: Int, _ process: TestJournal) throws {
    let preimage = Self.preimage(place)
    let hash = WireBytes.sha256(preimage)
    let id = Int64(place + 1)
    try run.makeInvoice(epoch, process, hash, msat: Self.msat)
    run.tick()
    try run.request(id, hash, msat: Self.msat)
    try run.offer(id, htlc: Int64(place))
    try run.push(id, "IncomingPayment", hash, msat: Self.msat)
    try run.send(
      epoch,
      [
        WireBytes.add(UInt64(place), msat: UInt64(Self.msat), hash: hash), WireBytes.commit(signatures: 1),
      ])
    try run.write(epoch, process)
    try run.store(epoch)
    try run.receive(epoch, revoke(peer: false, 2 * place))
    try run.receive(epoch, WireBytes.commit(signatures: 1), out: [revoke(peer: true, 2 * place)])
    try run.write(epoch, process, received: (hash, Self.msat))
    try run.store(epoch)
    try run.receive(epoch, WireBytes.fulfil(UInt64(place), preimage: preimage))
    // The stamp of the step that `receive` takes is one tick ahead.
    run.now += 7_000_000
    try run.pay(id, preimage)
    run.now -= 7_000_000
    try run.receive(
      epoch, WireBytes.commit(signatures: 0),
      out: [revoke(peer: true, 2 * place + 1), WireBytes.commit(signatures: 0)])
    try run.write(epoch, process)
    try run.write(epoch, process)
    try run.store(epoch)
    try run.receive(epoch, revoke(peer: false, 2 * place + 1))
    run.phoneFinished(id)
  }

  private func leave(_ payments: Int) throws {
    let moved = Int64(payments) * Self.msat
    let steps = Int64(2 * payments)
    let peer = (9_000_000_000 - moved, 1_000_000_000 + moved)
    try leave(run.ledger, isPeer: true, peer, steps, Int64(payments), last: 0, 0)
    try leave(
      run.wallet, isPeer: false, (peer.1, peer.0), steps, Int64(payments), last: 1, run.walletRevision - 1)
  }

  private func leave(
    _ database: TestDatabase, isPeer: Bool, _ balances: (Int64, Int64), _ steps: Int64, _ payments: Int64,
    last: Int64, _ revision: Int
  ) throws {
    let secret = WireBytes.secret(ofPeer: !isPeer, UInt64(steps - 1))
    try database.insert(
      isPeer ? "channel" : "channels",
      (isPeer ? [.integer(1)] : []) + [
        .blob(WireBytes.channel), .integer(isPeer ? 1 : 0), .integer(balances.0), .integer(balances.1),
        .integer(steps), .integer(steps), .integer(steps), .integer(steps), .blob(secret),
        .integer(isPeer ? payments : 0), .integer(isPeer ? 0 : payments), .integer(last),
        .integer(Int64(revision)), .null, .null,
      ])
  }
}

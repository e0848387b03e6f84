@testable import TestHomes

// A payment of 100,000 msat in two parts, 60,000 and 40,000, ten seconds apart, on one connection of the extension.
extension SampleStory {
  enum PartsEnd {
    /// Both parts, and then the preimage for both.
    case whole
    /// The preimage after the first part; the second never comes.
    case early
  }

  static func tellInParts(_ end: PartsEnd = .whole) throws -> SampleRun {
    let run = try SampleRun()
    try openChannel(run)
    run.tick()
    try run.request(1, hashes[0], msat: 60_000, total: 100_000)
    try run.push(1, "IncomingPayment", hashes[0], msat: 60_000)
    let service = run.start("notifyextd", pid: 200)
    try run.claim(2, "extension", pid: 200, service, "holder-died")
    try run.connect(2)
    try run.sendInit(2, epoch: 2, highest: 2, reestablish: reestablish(1, 0, none))
    run.now += 7_000_000
    try run.offer(1, htlc: 0)
    run.now -= 7_000_000
    try run.receive(
      2, reestablish(1, 0, none), out: part(0, msat: 60_000, signatures: 1))
    try keep(run, service, signatures: 1, revocation: 0)
    switch end {
    case .whole: try finishWhole(run, service)
    case .early: try finishEarly(run, service)
    }
    try run.close(2, "the other side disconnected")
    service.end(at: run.now)
    run.phoneFinished(1)
    run.ended(2, "extension", pid: 200, how: "exited", number: 0, reason: "ended when it was asked to")
    let paid: Int64 = end == .whole ? 100_000 : 60_000
    let count: Int64 = end == .whole ? 3 : 2
    let parts: Int64 = end == .whole ? 2 : 1
    try leaveChannel(
      run, peer: [9_000_000_000 - paid, 1_000_000_000 + paid, count, count, count, count],
      WireBytes.secret(ofPeer: false, UInt64(count) - 1), next: [parts, 0], last: 0, run.ledger)
    try leaveChannel(
      run, peer: nil, WireBytes.secret(ofPeer: true, UInt64(count) - 1), next: [0, parts], last: 1,
      run.wallet,
      [1_000_000_000 + paid, 9_000_000_000 - paid, count, count, count, count])
    try run.finish()
    return run
  }

  private static func part(_ htlc: UInt64, msat: UInt64, signatures: Int) -> [[UInt8]] {
    [
      WireBytes.add(htlc, msat: msat, hash: hashes[0], totalMsat: 100_000),
      WireBytes.commit(signatures: signatures),
    ]
  }

  /// From the peer's commitment until it is irrevocable on both sides.
  private static func keep(
    _ run: SampleRun, _ service: TestJournal, signatures: Int, revocation: UInt64
  ) throws {
    try run.write(2, service)
    try run.store(2)
    try run.receive(2, revoke(peer: false, revocation))
    try run.receive(
      2, WireBytes.commit(signatures: signatures), out: [revoke(peer: true, revocation)]
    )
  }

  private static func finishWhole(_ run: SampleRun, _ service: TestJournal) throws {
    try run.write(2, service)
    run.now += 10_000_000_000
    try run.request(2, hashes[0], msat: 40_000, total: 100_000)
    try run.offer(2, htlc: 1)
    try run.send(2, part(1, msat: 40_000, signatures: 2))
    try keep(run, service, signatures: 2, revocation: 1)
    try run.write(2, service, received: (hashes[0], 100_000))
    try run.store(2)
    try run.receive(2, WireBytes.fulfil(0, preimage: preimages[0]))
    try run.receive(2, WireBytes.fulfil(1, preimage: preimages[0]))
    try settle(run, service, payments: [1, 2], revocation: 2)
  }

  private static func finishEarly(_ run: SampleRun, _ service: TestJournal) throws {
    try run.write(2, service, received: (hashes[0], 60_000))
    try run.store(2)
    try run.receive(2, WireBytes.fulfil(0, preimage: preimages[0]))
    try settle(run, service, payments: [1], revocation: 1)
  }

  private static func settle(
    _ run: SampleRun, _ service: TestJournal, payments: [Int64], revocation: UInt64
  ) throws {
    run.now += 7_000_000
    for payment in payments { try run.pay(payment, preimages[0]) }
    run.now -= 7_000_000
    try run.receive(
      2, WireBytes.commit(signatures: 0),
      out: [revoke(peer: true, revocation), WireBytes.commit(signatures: 0)])
    try run.write(2, service)
    try run.write(2, service)
    try run.store(2)
    try run.receive(2, revoke(peer: false, revocation))
  }
}

@testable import Lightning
@testable import LightningProvider

/// An LSP that stores the wallet's backup at most once in 10 s.
@Suite struct PeerStorageTests {
  private func blob(_ number: UInt8) -> Blob { [number] }

  /// A connected wallet that has sent backups 1 and 2 at the same time.
  private func fixture() throws -> PeerFixture {
    var fixture = try PeerFixture.established(storageDelay: .seconds(10))
    for number: UInt8 in [1, 2] { _ = fixture.hear(.peerStorage(blob(number))) }
    return fixture
  }

  private func retrieved(_ directives: [PeerDirective]) -> [Blob] {
    messages(directives).compactMap { if case .peerStorageRetrieval(let blob) = $0 { blob } else { nil } }
  }

  private func stored(_ directives: [PeerDirective]) -> [LedgerChange] {
    changes(directives).filter { if case .backup = $0 { true } else { false } }
  }

  @Test func `The first backup is stored at once, and of those within the delay the last one at its end`()
    throws
  {
    var fixture = try PeerFixture.established(storageDelay: .seconds(10))
    let first = fixture.hear(.peerStorage(blob(1)))
    expect(stored(first), is: [.backup(connection: 1, blob(1))])
    for (number, at) in [(UInt8(2), Int64(1000)), (3, 9999)] {
      fixture.now = at
      let directives = fixture.hear(.peerStorage(blob(number)))
      expect(changes(directives), is: [.frameActedOn(connection: 1)], "received, and not stored")
      expect(fixture.peer.deadline, is: milliseconds(10_000))
    }
    #expect(stored(fixture.wake(at: 9999)).isEmpty)
    expect(stored(fixture.wake(at: 10_000)), is: [.backup(connection: 1, blob(3))])
    #expect(fixture.peer.deadline == nil)
  }

  @Test func `A window that has ended is forgotten, so that it tells no two states apart`() throws {
    var fixture = try PeerFixture.established(storageDelay: .seconds(10))
    let before = fixture.peer.storage
    _ = fixture.hear(.peerStorage(blob(1)))
    fixture.peer.forgetLongAgo(at: milliseconds(9999))
    #expect(fixture.peer.storage != before)
    fixture.peer.forgetLongAgo(at: milliseconds(10_000))
    expect(fixture.peer.storage, is: before)
  }

  @Test func `A stored backup opens the next window; after an idle window the next is stored at once`() throws
  {
    var fixture = try fixture()
    _ = fixture.wake(at: 10_000)
    fixture.now = 19_999
    _ = fixture.hear(.peerStorage(blob(3)))
    expect(fixture.peer.deadline, is: milliseconds(20_000))
    expect(stored(fixture.wake(at: 20_000)), is: [.backup(connection: 1, blob(3))])
    fixture.now = 30_000
    let late = fixture.hear(.peerStorage(blob(4)))
    expect(stored(late), is: [.backup(connection: 1, blob(4))])
  }

  @Test func `A backup that comes after the delay does not replace the one that waited until its end`() throws
  {
    var fixture = try fixture()
    fixture.now = 15_000
    let late = fixture.hear(.peerStorage(blob(3)))
    expect(stored(late), is: [.backup(connection: 1, blob(2))])
    expect(fixture.peer.deadline, is: milliseconds(25_000))
  }

  @Test func `A wallet that reconnects within the delay gets the older backup, after it the newer one`()
    throws
  {
    var fixture = try fixture()
    expect(retrieved(fixture.sendInit(2, fence(2))), is: [blob(1)])
    expect(stored(fixture.wake(at: 10_000)), is: [.backup(connection: 1, blob(2))])
    expect(retrieved(fixture.sendInit(3, fence(3))), is: [blob(2)])
  }

  @Test func `A backup that waits to be stored is lost when the LSP restarts`() throws {
    var fixture = try fixture()
    fixture.restart()
    _ = fixture.wake(at: 60_000)
    expect(retrieved(fixture.sendInit(2, fence(2))), is: [blob(1)])
  }

  @Test func `Without a delay each backup is stored at once`() throws {
    var fixture = try PeerFixture.established()
    for number: UInt8 in 1...3 {
      let directives = fixture.hear(.peerStorage(blob(number)))
      expect(changes(directives), is: [.frameActedOn(connection: 1), .backup(connection: 1, blob(number))])
    }
  }
}

/// Which pushes announce a payment in Bitkit's form.
@Suite("The LSP's pushes in Bitkit's form") struct PeerAnnouncementTests {
  private func pushes(_ directives: [PeerDirective]) -> [PushRequest] {
    directives.compactMap { if case .requestPush(let push) = $0 { push } else { nil } }
  }

  private func push(_ kind: PushKind, holdUntil: Int64?, reason: PushReason = .incomingPayment) -> PushRequest
  {
    PushRequest(
      reason: reason, paymentHash: paymentHash(1), amountMsat: 1000, kind: kind, payment: 1,
      holdUntil: holdUntil.map { milliseconds($0) })
  }

  @Test(.shows("B-1.6.1", "B-1.8.2")) func `A held payment requests a silent push, and after it an alert`()
    throws
  {
    var fixture = try PeerFixture(pushStrategy: .bitkit)
    let directives = fixture.pay(1)
    let both = [push(.silent, holdUntil: 60_000), push(.alert, holdUntil: 60_000)]
    expect(pushes(directives), is: both)
    #expect(both.allSatisfy { $0.isHeld && fixture.wants($0) })
    // Both are requested after the payment's row is durable.
    expect(directives.first, is: .store([.paymentHeld(fixture.request(1, holdUntil: 60_000))]))
    expect(pushes(fixture.wake(at: 60_000)), is: [])
    #expect(!both.contains { fixture.wants($0) })
  }

  @Test func `A payment in parts is announced with its whole amount`() throws {
    var fixture = try PeerFixture(pushStrategy: .bitkit)
    let data = PaymentData(secret: paymentHash(7), totalMsat: 1000)
    expect(pushes(fixture.part(1, 400, data)).map(\.amountMsat), is: [1000, 1000])
  }

  @Test func `A payment that is not held requests both pushes too, and they say so`() throws {
    var fixture = try PeerFixture(pushStrategy: .bitkit)
    let directives = fixture.pay(1, holdUntil: 0)
    let both = [push(.silent, holdUntil: nil), push(.alert, holdUntil: nil)]
    expect(pushes(directives), is: both)
    expect(others(directives).first, is: .answer(payment: 1, .failed(.recipientAway)))
    #expect(both.allSatisfy { !$0.isHeld && fixture.wants($0) })
    _ = try fixture.establish(1)
    #expect(!both.contains { fixture.wants($0) }, "the app has come")
    expect(pushes(fixture.pay(2, holdUntil: 0)), is: [])
  }

  @Test func `A payment that is paid later is not announced any more as not held`() throws {
    var fixture = try PeerFixture(pushStrategy: .bitkit)
    let alert = try #require(pushes(fixture.pay(1, holdUntil: 0)).last)
    #expect(fixture.wants(alert))
    _ = try fixture.establish(1)
    _ = try fixture.exchange(1, from: fixture.pay(1))
    _ = fixture.handle(.closed(connection: 1, "gone"))
    #expect(fixture.peer.state.isPaid(paymentHash(1)) && !fixture.wants(alert))
  }

  @Test func `Both pushes are repeated while the payment is held, and while it waits in the channel`() throws
  {
    var fixture = try PeerFixture(pushStrategy: .bitkit)
    _ = fixture.pay(1, holdUntil: 100_000)
    expect(
      pushes(fixture.wake(at: 30_000)),
      is: [
        push(.silent, holdUntil: 100_000), push(.alert, holdUntil: 100_000),
      ])
    _ = try fixture.establish(1)
    _ = fixture.handle(.closed(connection: 1, "gone"))
    // One call was not answered by then: the first call after the disconnect comes 4 s later.
    let waiting = pushes(fixture.wake(after: 4000))
    expect(
      waiting,
      is: [
        push(.silent, holdUntil: nil, reason: .pendingSettlement),
        push(.alert, holdUntil: nil, reason: .pendingSettlement),
      ])
    #expect(waiting.allSatisfy { $0.isHeld })
  }

  /// Payments that wait for a wallet that has just left: at most 30 in the channel, the others held.
  private func away(_ count: UInt64, holdUntil: Int64 = 0) throws -> PeerFixture {
    var fixture = try PeerFixture.established(pushStrategy: .bitkit)
    for number in 1...count { _ = fixture.pay(number, holdUntil: holdUntil) }
    _ = fixture.handle(.closed(connection: 1, "killed"))
    return fixture
  }

  /// The hashes of the alerts, each of which follows its silent push.
  private func announced(_ directives: [PeerDirective]) -> [Bytes32?] {
    let pushes = pushes(directives)
    expect(pushes.map(\.kind), is: pushes.indices.map { $0.isMultiple(of: 2) ? .silent : .alert })
    return pushes.filter { $0.kind == .alert }.map(\.paymentHash)
  }

  @Test func `After a disconnect each payment in the channel is announced, and then the oldest again`() throws
  {
    var fixture = try PeerFixture.established(pushStrategy: .bitkit)
    for number: UInt64 in 1...3 { _ = fixture.pay(number, holdUntil: 0) }
    let data = PaymentData(secret: paymentHash(50), totalMsat: 1000)
    for number: UInt64 in 4...5 { _ = fixture.part(number, 500, data) }
    _ = fixture.handle(.closed(connection: 1, "killed"))
    expect(announced(fixture.wake(after: 1999)), is: [])
    expect(announced(fixture.wake(after: 1)), is: [1, 2, 3, 9].map { paymentHash($0) })
    expect(announced(fixture.wake(after: 59_999)), is: [])
    expect(announced(fixture.wake(after: 1)), is: [paymentHash(1)])
    // The wallet comes and settles nothing: the user may have dismissed what was told before.
    _ = try fixture.establish(2)
    _ = fixture.handle(.closed(connection: 2, "killed"))
    expect(announced(fixture.wake(after: 8000)), is: [1, 2, 3, 9].map { paymentHash($0) })
  }

  @Test func `A new payment right after a disconnect does not delay the announcements of the others`() throws
  {
    var fixture = try away(2)
    fixture.now += 1000
    expect(announced(fixture.pay(3)), is: [paymentHash(3)])
    expect(announced(fixture.wake(after: 1000)), is: [1, 2].map { paymentHash($0) })
  }

  @Test func `After a restart of the LSP each payment is announced, held or in the channel`() throws {
    var fixture = try away(1)
    for number: UInt64 in 2...3 {
      expect(announced(fixture.pay(number, holdUntil: 100_000)), is: [paymentHash(number)])
    }
    fixture.restart()
    expect(announced(fixture.wake(after: 2000)), is: [1, 2, 3].map { paymentHash($0) })
  }

  // MARK: Many payments

  private static let batch = AnnouncementPace.batch
  private static let pause = AnnouncementPace.pause.wholeMilliseconds

  /// The alerts of each deadline up to the end of the time, with the time of each.
  private func batches(_ fixture: inout PeerFixture, for span: Int64) -> [(at: Int64, hashes: [Bytes32?])] {
    let end = milliseconds(fixture.now + span)
    var batches: [(at: Int64, hashes: [Bytes32?])] = []
    while let due = fixture.peer.deadline, due <= end {
      let hashes = announced(fixture.wake(at: due.nanoseconds / 1_000_000))
      if !hashes.isEmpty { batches.append((fixture.now, hashes)) }
    }
    return batches
  }

  private func hashes(_ numbers: some Sequence<Int>) -> [Bytes32?] { numbers.map { paymentHash(UInt64($0)) } }

  @Test func `Of 100 payments at most 16 are announced at once, each once, and the oldest first`() throws {
    var fixture = try away(100, holdUntil: 10_000_000)
    let told = batches(&fixture, for: 30_000)
    expect(told.map(\.hashes.count), is: [16, 16, 16, 16, 16, 16, 4])
    expect(told.map(\.at), is: (0..<7).map { 2000 + $0 * Self.pause })
    expect(told.flatMap(\.hashes), is: hashes(1...100))
    // All batches are one call, whose pause has doubled once.
    let again = batches(&fixture, for: 60_000)
    #expect(again.map(\.hashes) == [hashes([1])] && again.map(\.at) == [2000 + 6 * Self.pause + 60_000])
  }

  @Test func `The parts of a payment take one place of a batch`() throws {
    var fixture = try PeerFixture.established(pushStrategy: .bitkit)
    let data = PaymentData(secret: paymentHash(50), totalMsat: 1000)
    for number: UInt64 in 100...104 { _ = fixture.part(number, 200, data) }
    for number: UInt64 in 10...25 { _ = fixture.pay(number, holdUntil: 0) }
    _ = fixture.handle(.closed(connection: 1, "killed"))
    expect(batches(&fixture, for: 10_000).map(\.hashes), is: [hashes([9] + Array(10...24)), hashes([25])])
  }

  @Test
  func `A wallet that connects amid the batches ends them, and the next absence begins with the oldest`()
    throws
  {
    var fixture = try away(40, holdUntil: 10_000_000)
    expect(batches(&fixture, for: 2000).map(\.hashes), is: [hashes(1...16)])
    fixture.now += 1000
    _ = try fixture.establish(2)
    #expect(batches(&fixture, for: 20_000).isEmpty)
    _ = fixture.handle(.closed(connection: 2, "killed"))
    let left = fixture.now
    let told = batches(&fixture, for: 10_000)
    expect(told.flatMap(\.hashes), is: hashes(1...40))
    // The call of before was in vain.
    expect(told.map(\.at), is: [4000, 4000 + Self.pause, 4000 + 2 * Self.pause].map { left + $0 })
  }

  @Test func `An LSP that is restarted amid the batches announces each payment once more`() throws {
    var fixture = try away(40, holdUntil: 10_000_000)
    expect(batches(&fixture, for: 4000).count, is: 2)
    fixture.now += 1000
    fixture.restart()
    let began = fixture.now
    let told = batches(&fixture, for: 10_000)
    expect(told.map(\.hashes), is: [hashes(1...16), hashes(17...32), hashes(33...40)])
    expect(told.map(\.at), is: [2000, 2000 + Self.pause, 2000 + 2 * Self.pause].map { began + $0 })
  }

  @Test func `A payment that arrives amid the batches is announced at once, and delays none of them`() throws
  {
    var fixture = try away(40, holdUntil: 10_000_000)
    expect(batches(&fixture, for: 2000).count, is: 1)
    fixture.now += 500
    expect(announced(fixture.pay(41, holdUntil: 10_000_000)), is: hashes([41]))
    let told = batches(&fixture, for: 10_000)
    expect(told.map(\.hashes), is: [hashes(17...32), hashes(33...40)])
    expect(told.map(\.at), is: [1, 2].map { 2000 + $0 * Self.pause })
  }

  @Test func `A batch that is late does not delay the next, unless both would come at once`() throws {
    for (late, next) in [(Self.pause - 1, 2000 + Self.pause), (Self.pause, 2000 + 2 * Self.pause)] {
      var fixture = try away(20, holdUntil: 10_000_000)
      expect(announced(fixture.wake(at: 2000 + late)), is: hashes(1...16))
      expect(fixture.peer.deadline, is: milliseconds(next))
    }
  }

  @Test func `Payments that end amid the batches make room, and a rest that ends leaves one call`() throws {
    var fixture = try PeerFixture.established(pushStrategy: .bitkit)
    for number: UInt64 in 1...30 { _ = fixture.pay(number, holdUntil: 0) }
    for number: UInt64 in 31...40 { _ = fixture.pay(number, holdUntil: 5000) }
    for number: UInt64 in 41...44 { _ = fixture.pay(number, holdUntil: 10_000_000) }
    _ = fixture.handle(.closed(connection: 1, "killed"))
    expect(
      batches(&fixture, for: 10_000).map(\.hashes),
      is: [
        hashes(1...16), hashes(17...32), hashes(41...44),
      ])
  }

  @Test func `After batches whose rest has ended by itself the pause doubles with each repetition`() throws {
    var fixture = try away(40, holdUntil: 5000)
    let told = batches(&fixture, for: 400_000)
    // 33 to 40 were held until then.
    expect(told.map(\.hashes), is: [hashes(1...16), hashes(17...32), hashes([1]), hashes([1])])
    expect(told.map(\.at), is: [2000, 4000, 64_000, 184_000])
  }

  // MARK: Which pushes are still wanted

  @Test func `The alert of a payment in the channel is wanted while this payment is there, not another`()
    throws
  {
    var fixture = try away(1)
    let alert = try #require(pushes(fixture.wake(after: 2000)).last)
    #expect(alert.reason == .pendingSettlement && fixture.wants(alert))
    _ = try fixture.exchange(2, from: fixture.establish(2))
    #expect(fixture.peer.state.isPaid(paymentHash(1)))
    _ = fixture.pay(2, holdUntil: 0)
    _ = fixture.handle(.closed(connection: 2, "killed"))
    #expect(!fixture.peer.state.payments.isEmpty && !fixture.wants(alert))
  }

  @Test func `Phoenix's form has one push, without the fields of Bitkit's`() throws {
    var fixture = try PeerFixture()
    expect(
      pushes(fixture.pay(1)),
      is: [
        PushRequest(reason: .incomingPayment, paymentHash: paymentHash(1), amountMsat: 1000)
      ])
    expect(pushes(fixture.pay(2, holdUntil: 0)), is: [])
  }
}

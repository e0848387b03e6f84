import Ground
import Lightning
import LightningProvider
import Testing

/// An LSP that stores the wallet's backup at most once in 10 s.
@Suite struct PeerStorageTests {
  private func blob(_ number: UInt8) -> Blob { [number] }

  /// A connected wallet that has sent backups 1 and 2 at the same time.
  private func fixture() throws -> PeerFixture {
    var fixture = try PeerFixture(storageDelay: .seconds(10))
    _ = try fixture.establish(1)
    for number: UInt8 in [1, 2] {
      _ = fixture.handle(.received(connection: 1, .peerStorage(blob(number))))
    }
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
    var fixture = try PeerFixture(storageDelay: .seconds(10))
    _ = try fixture.establish(1)
    let first = fixture.handle(.received(connection: 1, .peerStorage(blob(1))))
    #expect(stored(first) == [.backup(connection: 1, blob(1))])
    for (number, at) in [(UInt8(2), Int64(1000)), (3, 9999)] {
      fixture.now = at
      let directives = fixture.handle(.received(connection: 1, .peerStorage(blob(number))))
      #expect(changes(directives) == [.frameActedOn(connection: 1)], "received, and not stored")
      #expect(fixture.peer.deadline == milliseconds(10_000))
    }
    fixture.now = 9999
    #expect(stored(fixture.handle(.deadlineReached)).isEmpty)
    fixture.now = 10_000
    #expect(stored(fixture.handle(.deadlineReached)) == [.backup(connection: 1, blob(3))])
    #expect(fixture.peer.deadline == nil)
  }

  @Test func `A stored backup opens the next window; after an idle window the next is stored at once`() throws
  {
    var fixture = try fixture()
    fixture.now = 10_000
    _ = fixture.handle(.deadlineReached)
    fixture.now = 19_999
    _ = fixture.handle(.received(connection: 1, .peerStorage(blob(3))))
    #expect(fixture.peer.deadline == milliseconds(20_000))
    fixture.now = 20_000
    #expect(stored(fixture.handle(.deadlineReached)) == [.backup(connection: 1, blob(3))])
    fixture.now = 30_000
    let late = fixture.handle(.received(connection: 1, .peerStorage(blob(4))))
    #expect(stored(late) == [.backup(connection: 1, blob(4))])
  }

  @Test func `A backup that comes after the delay does not replace the one that waited until its end`() throws
  {
    var fixture = try fixture()
    fixture.now = 15_000
    let late = fixture.handle(.received(connection: 1, .peerStorage(blob(3))))
    #expect(stored(late) == [.backup(connection: 1, blob(2))])
    #expect(fixture.peer.deadline == milliseconds(25_000))
  }

  @Test func `A wallet that reconnects within the delay gets the older backup, after it the newer one`()
    throws
  {
    var fixture = try fixture()
    #expect(retrieved(fixture.sendInit(2, fence(2))) == [blob(1)])
    fixture.now = 10_000
    #expect(stored(fixture.handle(.deadlineReached)) == [.backup(connection: 1, blob(2))])
    #expect(retrieved(fixture.sendInit(3, fence(3))) == [blob(2)])
  }

  @Test func `A backup that waits to be stored is lost when the LSP restarts`() throws {
    var fixture = try fixture()
    fixture.restart()
    fixture.now = 60_000
    _ = fixture.handle(.deadlineReached)
    #expect(retrieved(fixture.sendInit(2, fence(2))) == [blob(1)])
  }

  @Test func `Without a delay each backup is stored at once`() throws {
    var fixture = try PeerFixture()
    _ = try fixture.establish(1)
    for number: UInt8 in 1...3 {
      let directives = fixture.handle(.received(connection: 1, .peerStorage(blob(number))))
      #expect(changes(directives) == [.frameActedOn(connection: 1), .backup(connection: 1, blob(number))])
    }
  }
}

import Platform
import Foundation
import Ground
import Guardrails
import TestKit

@testable import DaemonRuntime

@Suite("Announced payments in the container") struct IncomingStoreTests {
  private let container: String

  init() { container = NSTemporaryDirectory() + "/baton-incoming-\(UUID().uuidString)" }

  private var store: IncomingStore { IncomingStore(container: container) }
  private func clean() { try? FileManager.default.removeItem(atPath: container) }

  private func hash(_ byte: UInt8) -> Bytes32 { Bytes32([UInt8](repeating: byte, count: 32)) ?? .zero }

  private func record(_ byte: UInt8, isHeld: Bool = true, ends: Int64? = 60) -> IncomingRecord {
    IncomingRecord(
      paymentHash: hash(byte), amountMsat: 100_000, kind: .incomingHtlc, isHeld: isHeld, holdEndsAt: ends)
  }

  @Test(.shows("B-1.1.6"))
  func `Before the app ever ran, a record makes container and store, which no other user can read`()
    throws
  {
    defer { clean() }
    expect(try store.all(), is: [])
    try store.add(record(1), arrivedAt: 5)
    expect(try store.all(), is: [IncomingEntry(record(1), arrivedAt: 5)])
    let names = try FileManager.default.contentsOfDirectory(atPath: container)
    #expect(names.contains("incoming.sqlite") && !names.contains("node.sqlite"))
    for path in [container] + names.map({ "\(container)/\($0)" }) {
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect((mode ?? 0o777) & 0o077 == 0, "\(path)")
    }
  }

  @Test(.shows("K-17")) func `A stored payment is incoming and never received`() throws {
    defer { clean() }
    try store.add(record(1), arrivedAt: 5)
    expect(try store.all().map(\.record.state), is: [.incoming])
  }

  @Test(.shows("G-7"))
  func `Two payments have two records, and a second push for one brings its hold up to date`()
    throws
  {
    defer { clean() }
    try store.add(record(1), arrivedAt: 5)
    try store.add(record(2), arrivedAt: 6)
    try store.add(record(1, isHeld: false, ends: nil), arrivedAt: 9)
    expect(
      try store.all(),
      is: [
        IncomingEntry(record(1, isHeld: false, ends: nil), arrivedAt: 5),
        IncomingEntry(record(2), arrivedAt: 6),
      ])
  }

  @Test(.shows("G-7")) func `Removed records are gone, the others stay`() throws {
    defer { clean() }
    expect(try store.remove([record(1)]), is: [])
    for byte in 1...3 as ClosedRange<UInt8> { try store.add(record(byte), arrivedAt: 5) }
    expect(try store.remove([]), is: [])
    expect(try store.remove([record(1), record(3), record(9)]), is: [])
    expect(try store.all().map(\.record), is: [record(2)])
  }

  @Test(.shows("G-7")) func `A record that is another than the app has read is not removed`() throws {
    defer { clean() }
    let read = record(1, isHeld: false, ends: nil)
    for now in [record(1), record(1, isHeld: true, ends: nil), record(1, isHeld: false, ends: 60)] {
      try store.add(read, arrivedAt: 5)
      try store.add(now, arrivedAt: 6)
      expect(try store.remove([read]), is: [hash(1)])
      expect(try store.all().map(\.record), is: [now])
    }
    try store.add(read, arrivedAt: 7)
    expect(try store.remove([read]), is: [])
    expect(try store.all(), is: [])
  }

  @Test(.shows("G-7")) func `The store keeps the newest 256 payments`() throws {
    defer { clean() }
    for number in 0..<260 as Range<Int> {
      var record = record(0)
      var bytes = record.paymentHash.bytes
      (bytes[0], bytes[1]) = (UInt8(number / 256), UInt8(number % 256))
      record.paymentHash = try #require(Bytes32(bytes))
      try store.add(record, arrivedAt: Int64(number))
    }
    expect(try store.all().map(\.arrivedAt), is: Array(4..<260))
  }

  @Test func `Of rows beyond those that an extension leaves the newest 256 are read, and the others counted`()
    throws
  {
    defer { clean() }
    try store.add(record(1), arrivedAt: 5)
    do {
      let other = try Connection(path: store.path, access: .readWrite)
      try other.execute(
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
        INSERT INTO incoming (payment_hash, amount_msat, kind, is_held, state, arrived_at)
        SELECT CAST(printf('%032d', i) AS BLOB), 1, CASE i WHEN 3000 THEN hex(zeroblob(100000)) ELSE ? END, 0, ?, i
        FROM n
        """, [.text(record(1).kind.rawValue), .text(record(1).state.rawValue)])
    }
    let (entries, unread) = try store.read()
    #expect(entries.map(\.arrivedAt) == Array(2745..<3000) && unread == 2745)
  }

  @Test(.shows("G-7")) func `Pushes that are repeated for one payment remove no record of another`() throws {
    defer { clean() }
    try store.add(record(1), arrivedAt: 5)
    for _ in 0..<300 { try store.add(record(2), arrivedAt: 6) }
    try store.add(record(3), arrivedAt: 7)
    expect(try store.all().map(\.arrivedAt), is: [5, 6, 7])
  }

  @Test(arguments: ["kind", "state"])
  func `A record with a kind or state of a newer program hides no other record`(column: String) throws {
    defer { clean() }
    for byte in 1...3 as ClosedRange<UInt8> { try store.add(record(byte), arrivedAt: 5) }
    do {
      let newer = try Connection(path: store.path, access: .readWrite)
      try newer.execute(
        "UPDATE incoming SET \(column) = 'newer' WHERE payment_hash = ?", [.blob(hash(2).bytes)])
    }
    expect(try store.all().map(\.record), is: [record(1), record(3)])
  }

  @Test func `Amounts and times beyond any payment are stored as they are`() throws {
    defer { clean() }
    var odd = record(1, ends: .min)
    odd.amountMsat = .max
    odd.kind = .cjitPaymentArrived
    try store.add(odd, arrivedAt: .max)
    expect(try store.all(), is: [IncomingEntry(odd, arrivedAt: .max)])
  }

  @Test func `While another process writes, the store answers busy at once and keeps nothing open`() throws {
    defer { clean() }
    try store.add(record(1), arrivedAt: 5)
    do {
      let other = try Connection(path: store.path, access: .readWrite)
      try other.transaction(.immediate) { () throws -> Void in
        #expect(throws: IncomingStoreError.busy) { try store.add(record(2), arrivedAt: 6) }
        #expect(throws: IncomingStoreError.busy) { try store.remove([record(1)]) }
        expect(try store.all().count, is: 1)
      }
    }
    try store.add(record(2), arrivedAt: 6)
    expect(openFiles(below: container), is: [])
  }

  @Test func `A link or a directory in the store's place is an error of one line`() throws {
    defer { clean() }
    try FileManager.default.createDirectory(
      atPath: container, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    func fails() -> Bool {
      do {
        try store.add(record(1), arrivedAt: 5)
        return false
      } catch { return error != .busy && !"\(error)".contains("\n") }
    }
    try FileManager.default.createSymbolicLink(atPath: store.path, withDestinationPath: "/etc/passwd")
    #expect(fails())
    try FileManager.default.removeItem(atPath: store.path)
    try FileManager.default.createDirectory(atPath: store.path, withIntermediateDirectories: false)
    #expect(fails())
  }

  @Test(arguments: ["no database", "a damaged page", "a damaged row beside a whole one"])
  func `A damaged store is set aside, and a new one takes the record`(damage: String) throws {
    defer { clean() }
    try store.add(record(1), arrivedAt: 5)
    try store.add(record(2), arrivedAt: 5)
    var bytes = [UInt8](try #require(FileManager.default.contents(atPath: store.path)))
    switch damage {
    case "no database": bytes = [UInt8](repeating: 7, count: 5000)
    // The page of the schema, behind the header.
    case "a damaged page": bytes.replaceSubrange(100..<200, with: [UInt8](repeating: 0xFF, count: 100))
    // The index of the hashes lists other rows than the table.
    default:
      let places = bytes.indices.dropLast(32).filter { Array(bytes[$0..<$0 + 32]) == hash(2).bytes }
      bytes[try #require(places.last) + 5] ^= 1
    }
    try Data(bytes).write(to: URL(filePath: store.path))
    let sentence = try #require(try store.add(record(3), arrivedAt: 6))
    #expect(sentence.contains("damaged-1") && !sentence.contains("\n"))
    expect(try store.all().map(\.record), is: [record(3)])
    expect(FileManager.default.contents(atPath: store.path + ".damaged-1"), is: Data(bytes))
    #expect(try store.add(record(4), arrivedAt: 6) == nil)
  }

  /// The last connection to close removes the log: so the app has the store open.
  @Test func `The log of a damaged store is set aside with it, and no new store reads it`() throws {
    defer { clean() }
    try store.add(record(1), arrivedAt: 5)
    let app = try Connection(path: store.path, access: .readWrite)
    try app.execute("UPDATE incoming SET arrived_at = 6")
    let log = try #require(try files()["incoming.sqlite-wal"])
    #expect(!log.isEmpty)
    try Data(repeating: 7, count: 5000).write(to: URL(filePath: store.path))
    #expect(try store.add(record(3), arrivedAt: 6) != nil)
    expect(try files()["incoming.sqlite.damaged-1-wal"], is: log)
    expect(try store.all().map(\.record), is: [record(3)])
    withExtendedLifetime(app) {}
  }

  @Test func `At most three damaged stores stay`() throws {
    defer { clean() }
    for byte in 1...5 as ClosedRange<UInt8> {
      try store.add(record(byte), arrivedAt: 5)
      try Data(repeating: byte, count: 5000).write(to: URL(filePath: store.path))
    }
    try store.add(record(9), arrivedAt: 5)
    expect(try store.all().map(\.record), is: [record(9)])
    let aside = try files().filter { $0.key.contains("damaged") }
    expect(
      aside.mapValues(\.first),
      is: [
        "incoming.sqlite.damaged-1": 1, "incoming.sqlite.damaged-2": 2, "incoming.sqlite.damaged-3": 5,
      ])
  }

  @Test func `The store of a newer program, and another program's database, are not touched`() throws {
    defer { clean() }
    try store.add(record(1), arrivedAt: 5)
    for change in ["PRAGMA user_version = 9", "PRAGMA user_version = 0"] {
      try Connection(path: store.path, access: .readWrite).execute(change)
      let before = try files()
      #expect(throws: IncomingStoreError.self) { try store.add(record(2), arrivedAt: 6) }
      expect(try files().keys, is: before.keys)
      expect(try files()["incoming.sqlite"], is: before["incoming.sqlite"])
    }
  }

  private func files() throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: container)
    return Dictionary(
      uniqueKeysWithValues: names.map {
        ($0, FileManager.default.contents(atPath: "\(container)/\($0)") ?? Data())
      })
  }

  @Test func `A container that was removed and made again has a store of its own`() throws {
    defer { clean() }
    let store = store
    try store.add(record(1), arrivedAt: 5)
    clean()
    expect(try store.all(), is: [])
    try store.add(record(2), arrivedAt: 6)
    expect(try store.all().map(\.record), is: [record(2)])
  }
}

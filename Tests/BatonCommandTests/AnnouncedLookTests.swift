import Platform
import Guardrails

@testable import Baton
@testable import SharedContainer

@Suite("Reading the announced payments of a container in use") struct AnnouncedLookTests {
  private let scratch = TemporaryDirectory()
  private var container: String { scratch("AppGroup") }
  private var store: IncomingStore { IncomingStore(container: container) }

  private func record(_ byte: UInt8) throws -> IncomingRecord {
    IncomingRecord(
      paymentHash: try #require(Bytes32([UInt8](repeating: byte, count: 32))), amountMsat: 100_000,
      kind: .incomingHtlc, isHeld: true, holdEndsAt: 60)
  }

  private func files() throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: container)
    return Dictionary(
      uniqueKeysWithValues: names.map {
        ($0, FileManager.default.contents(atPath: "\(container)/\($0)") ?? Data())
      })
  }

  @Test func `A look at the records changes no file of the container, also while another process writes`()
    throws
  {
    expect(try IncomingStore.look(in: container), is: [])
    try store.add(record(1), arrivedAt: 5)
    let before = try files()
    expect(try IncomingStore.look(in: container), is: try [IncomingEntry(record(1), arrivedAt: 5)])
    expect(try files(), is: before)
    let other = try Connection(path: store.path, access: .readWrite)
    try store.add(record(2), arrivedAt: 6)
    try other.transaction(.immediate) { () throws -> Void in
      let during = try files()
      expect(try IncomingStore.look(in: container).map(\.record), is: try [record(1), record(2)])
      expect(try files(), is: during)
    }
  }

  @Test func `A store of another size than a database's is refused with one sentence, and no byte is copied`()
    throws
  {
    try store.add(record(1), arrivedAt: 5)
    expect(truncate(store.path, off_t(DatabaseCopy.bytesMax + 1)), is: 0)
    let error = #expect(throws: ContainerError.self) { try IncomingStore.look(in: container) }
    #expect("\(try #require(error))".contains("incoming.sqlite"))
  }
}

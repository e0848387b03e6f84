import Ground
import Platform
import Guardrails

/// The only code that knows how a claim is stored.
struct ClaimTable {
  let connection: Connection

  private static let columns =
    "epoch, role, pid, start_time, boot_high, boot_low, incarnation, "
    + "(SELECT value FROM meta WHERE key = 'container'), "
    + "claimed_boot_ns, claimed_wall_ns, seen_epoch, reason"

  /// False for another program's database.
  func areThere() throws -> Bool {
    let names = try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table'").map {
      try $0.text(0)
    }
    return ContainerSchema.guarded.isSubset(of: names)
  }

  func highestRow() throws -> ClaimRow? {
    try connection.firstRow("SELECT \(Self.columns) FROM claims ORDER BY epoch DESC LIMIT 1").map(
      Self.claimRow)
  }

  /// From the newest on; nil for all.
  func forEachRecordBackwards(limit: Int64?, _ body: (Row) throws -> Void) throws {
    try connection.forEachRow(
      "SELECT \(Self.columns) FROM claims ORDER BY epoch DESC LIMIT ?", [.integer(limit ?? -1)], body)
  }

  func insert(_ claim: Claim, role: Role, by claimant: Claimant, seen: Epoch) throws {
    try connection.insert(
      into: "claims",
      """
      epoch, role, pid, start_time, boot_high, boot_low, incarnation, claimed_boot_ns, claimed_wall_ns,
      seen_epoch, reason
      """,
      [
        .unsigned(claim.epoch), .text(role.rawValue), .integer(Int64(claimant.process.pid)),
        .bits(claimant.process.startTime), .bits(claimant.process.boot.high),
        .bits(claimant.process.boot.low), .bits(claim.incarnation), .integer(claimant.bootClock.nanoseconds),
        .integer(claimant.wallClockNanoseconds), .unsigned(seen), .text(claimant.reason),
      ])
  }

  func containerID() throws -> ContainerID? {
    guard let row = try connection.firstRow("SELECT value FROM meta WHERE key = 'container'") else {
      return nil
    }
    return try Self.containerID(row, 0)
  }

  func insert(_ id: ContainerID) throws {
    try connection.execute("INSERT INTO meta (key, value) VALUES ('container', ?)", [.blob(id.bytes)])
  }

  static func claimRow(_ row: Row) throws -> ClaimRow {
    guard let role = Role(rawValue: try row.text(1)) else { throw row.mismatch(1, "app or extension") }
    let epoch = try row.unsigned(0)
    guard epoch > 0 else { throw row.mismatch(0, "an epoch from 1 up") }
    return ClaimRow(
      epoch: epoch, role: role,
      process: ProcessIdentity(
        pid: try row.int32(2), startTime: try row.bits(3),
        boot: BootID(high: try row.bits(4), low: try row.bits(5))),
      incarnation: try row.bits(6), container: try containerID(row, 7))
  }

  static func record(_ row: Row) throws -> ClaimRecord {
    ClaimRecord(
      row: try claimRow(row), bootClock: Instant(nanoseconds: try row.integer(8)),
      wallClockNanoseconds: try row.integer(9), seen: try row.unsigned(10), reason: try row.text(11))
  }

  private static func containerID(_ row: Row, _ index: Int) throws -> ContainerID {
    guard let id = ContainerID(try row.blob(index)) else {
      throw row.mismatch(index, "the 16 bytes of the container's id")
    }
    return id
  }
}

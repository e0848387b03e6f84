import Ground
import Guardrails

/// Signs outside the database that a container was used before. With them a missing or empty database is damage: with
/// a new one the peer would see another device, and SQLite would delete a log without its database.
struct EarlierUse {
  private let layout: ContainerLayout
  private let highestBeat: Epoch
  private let hasLog: Bool

  /// Read before the database, so that a database created meanwhile does not count as lost.
  init(of layout: ContainerLayout) {
    self.layout = layout
    let heartbeat = HeartbeatFile(path: layout.heartbeat)
    highestBeat = Role.allCases.compactMap { heartbeat.read($0)?.epoch }.max() ?? 0
    hasLog = ((try? FileFacts.at(layout.databaseLog).get().size) ?? 0) > 0
  }

  /// Before SQLite opens the database.
  func refuseLostDatabase() throws(ContainerError) {
    // Another kind of file has its own error.
    if let facts = try? FileFacts.at(layout.database).get(), facts.size > 0 || !facts.isPlainFile { return }
    if hasLog { throw lost("as its log exists without it") }
    try refuseNewDatabase()
  }

  /// When the database turns out to be empty.
  func refuseNewDatabase() throws(ContainerError) {
    if highestBeat > 0 { throw lost("as the heartbeat contains epoch \(highestBeat)") }
  }

  private func lost(_ because: String) -> ContainerError {
    .databaseLost(path: layout.database, because: because)
  }
}

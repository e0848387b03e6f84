import Ground
import Guardrails

/// Signs that a container was used before, outside of its database. A database that is missing or empty beside them
/// is damage: a new one would be another device to the peer, and SQLite would throw a log without its database away.
struct EarlierLife {
  private let layout: ContainerLayout
  private let highestBeat: Epoch
  private let hasLog: Bool

  /// Looked at before the database, so that one that comes to life meanwhile is not taken for a lost one.
  init(of layout: ContainerLayout) {
    self.layout = layout
    let heartbeat = HeartbeatFile(path: layout.heartbeat)
    highestBeat = Role.allCases.compactMap { heartbeat.read($0)?.epoch }.max() ?? 0
    hasLog = ((try? FileFacts.at(layout.databaseLog).get().size) ?? 0) > 0
  }

  /// Before SQLite sees it.
  func refuseLostDatabase() throws(ContainerError) {
    // Something else in its place has its own sentence.
    if let facts = try? FileFacts.at(layout.database).get(), facts.size > 0 || !facts.isPlainFile { return }
    if hasLog { throw lost("as its log is there without it") }
    try refuseNewDatabase()
  }

  /// When it turns out to hold nothing.
  func refuseNewDatabase() throws(ContainerError) {
    if highestBeat > 0 { throw lost("as the heartbeat tells of epoch \(highestBeat)") }
  }

  private func lost(_ because: String) -> ContainerError {
    .databaseLost(path: layout.database, because: because)
  }
}

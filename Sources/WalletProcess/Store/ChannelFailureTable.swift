import Ground
import Platform
import Guardrails
import Lightning
import Wallet
import SharedContainer

/// The channels that the peer has failed, with its reasons. Rows stay: a failed channel remains failed.
enum ChannelFailureTable {
  static func read(of channel: Channel?, _ reader: NodeReader) throws -> ChannelFailure? {
    guard let channel else { return nil }
    let row = try reader.rows(
      "SELECT reason FROM channel_failures WHERE channel = ?", [.blob(channel.id.bytes)]
    )
    .first
    return try row.map { ChannelFailure(channel: channel.id, reason: try $0.text(0)) }
  }

  static func write(
    _ failure: ChannelFailure, epoch: Epoch, wallClockNanoseconds: Int64, _ writer: NodeWriter
  ) throws {
    try writer.execute(
      "INSERT OR IGNORE INTO channel_failures (channel, reason, epoch, failed_wall_ns) VALUES (?, ?, ?, ?)",
      [
        .blob(failure.channel.bytes), .text(failure.reason), .integer(Int64(clamping: epoch)),
        .integer(wallClockNanoseconds),
      ])
  }
}

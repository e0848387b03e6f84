import CLinux
import Glibc

/// SQLite maps the index of its WAL into memory. If that file is truncated, the next access raises SIGBUS, which
/// cannot be recovered: the process prints a sentence and exits instead of crashing, and its next start rebuilds
/// the index.
public enum BusErrorEnd {
  /// For a process that has this database open. The sentence is also sent to iosd over the channel.
  public static func install(database: String, channel: Int32? = nil) {
    let sentence =
      "\(database)-shm was truncated while it was open; start this process again, it makes a new one"
    let packet = (try? ControlMessage("ending", ["reason": sentence]).encoded()) ?? []
    // The handler may not allocate, so both texts live as long as the process.
    let kept = UnsafeMutablePointer<UInt8>.allocate(capacity: packet.count)
    kept.initialize(from: packet, count: packet.count)
    _ = baton_end_on_bus_error(
      strdup("\(programName): \(sentence)\n"), channel ?? -1, kept, packet.count,
      ExitCode.inputOutputError.rawValue)
  }
}

import CLinux
import Glibc

/// SQLite maps the index of its log into memory. When somebody cuts that file short, the next access is a SIGBUS, which
/// nothing can undo: the process ends with a sentence in place of a crash, and its next start makes the index anew.
public enum BusErrorEnd {
  /// For a process that has this database open; the phone at the other end of the channel is told too.
  public static func install(database: String, channel: Int32? = nil) {
    let sentence =
      "\(database)-shm was cut short while it was open; start this process again, it makes a new one"
    let packet = (try? ControlMessage("ending", ["reason": sentence]).encoded()) ?? []
    // The handler may not allocate, so both are kept for as long as the process lives.
    let kept = UnsafeMutablePointer<UInt8>.allocate(capacity: packet.count)
    kept.initialize(from: packet, count: packet.count)
    _ = baton_end_on_bus_error(
      strdup("\(programName): \(sentence)\n"), channel ?? -1, kept, packet.count,
      ExitCode.inputOutputError.rawValue)
  }
}

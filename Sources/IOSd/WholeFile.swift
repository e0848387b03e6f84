import DaemonRuntime
import Glibc

/// Replaces a file of iosd's, on the disk before the call returns.
enum WholeFile {
  /// `lasting` also syncs the directory, for data that may be the only copy.
  static func write(_ bytes: [UInt8], to path: String, lasting: Bool = false) throws(SystemError) {
    try PlainFile.replace(path, with: bytes, syncs: true)
    if lasting { try keepName(of: path) }
  }

  private static func keepName(of path: String) throws(SystemError) {
    let parent = path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
    let place = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    let isKept = place >= 0 && fsync(place) == 0
    let trouble = errno
    if place >= 0 { close(place) }
    if !isKept { throw SystemError("sync the directory of \(path)", code: trouble) }
  }
}

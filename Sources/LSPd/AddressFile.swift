import DaemonRuntime
import Glibc
import PeerTransport

/// Where the provider listens, for others to read, and for itself to listen there again after a restart.
struct AddressFile {
  let path: String

  func read() -> PeerAddress? { PeerAddress(file: path) }

  static func parse(_ bytes: [UInt8]) -> PeerAddress? {
    PeerAddress(written: bytes)
  }

  /// Whole or not at all: a reader never sees half an address.
  func write(_ address: PeerAddress) throws(SystemError) {
    let draft = "\(path).new"
    // A draft of an earlier run, or whatever else has its name, goes.
    let descriptor = try PlainFile.openNew(draft)
    let isWritten = writeAll(descriptor, Array("\(address)\n".utf8))
    let code = errno
    close(descriptor)
    if !isWritten { throw SystemError("write \(draft)", code: code) }
    if rename(draft, path) != 0 { throw SystemError("write \(path)") }
  }
}

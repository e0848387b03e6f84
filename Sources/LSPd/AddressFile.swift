import DaemonRuntime
import Glibc
import PeerTransport

/// lspd's address, for wallets, and for lspd to listen on the same port after a restart.
struct AddressFile {
  let path: String

  func read() -> PeerAddress? { PeerAddress(file: path) }

  static func parse(_ bytes: [UInt8]) -> PeerAddress? {
    PeerAddress(written: bytes)
  }

  func write(_ address: PeerAddress) throws(SystemError) { try Self.write("\(address)", to: path) }

  /// Atomic: a reader never sees a partial address.
  static func write(_ address: String, to path: String) throws(SystemError) {
    let draft = "\(path).new"
    // Replaces a draft of an earlier run, or another file of that name.
    let descriptor = try PlainFile.openNew(draft)
    let isWritten = writeAll(descriptor, Array("\(address)\n".utf8))
    let code = errno
    close(descriptor)
    if !isWritten { throw SystemError("write \(draft)", code: code) }
    if rename(draft, path) != 0 { throw SystemError("write \(path)") }
  }
}

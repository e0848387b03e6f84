import DaemonRuntime
import LightningIO

/// lspd's address, for wallets, and for lspd to listen on the same port after a restart.
struct AddressFile {
  let path: String

  func read() -> PeerAddress? { PeerAddress(file: path) }

  static func parse(_ bytes: [UInt8]) -> PeerAddress? {
    PeerAddress(written: bytes)
  }

  func write(_ address: PeerAddress) throws(SystemError) { try Self.write("\(address)", to: path) }

  static func write(_ address: String, to path: String) throws(SystemError) {
    try PlainFile.replace(path, with: Array("\(address)\n".utf8))
  }
}

import Ground
import Crypto
import DaemonRuntime
import Glibc

/// The LSP's node key, made at its first start: its public key is the node id that wallets dial.
struct NodeKeyFile {
  let path: String

  /// The ledger was made before the key. With a new one the peer would not know the wallet's channel.
  func checkLedger(at ledger: String) throws {
    if access(path, F_OK) == 0, access(ledger, F_OK) != 0 { throw NodeKeyError.noLedger(ledger) }
  }

  /// Makes a new key only for an LSP that no wallet knows yet.
  func readOrMake(isNew: Bool) throws -> PrivateKey {
    var bytes = try bytes(isNew: isNew)
    guard let key = PrivateKey(LockedSecret(taking: &bytes)) else { throw NodeKeyError.noKey(path) }
    return key
  }

  private func bytes(isNew: Bool) throws -> [UInt8] {
    let secret = SecretFile(path: path, size: Bytes32.size)
    // Wallets dial the node by its id.
    if let known = try secret.read(isNeeded: !isNew) { return known }
    var fresh = randomBytes(Bytes32.size)
    defer { fresh.wipe() }
    return try secret.keep(fresh)
  }
}

enum NodeKeyError: Error, CustomStringConvertible {
  case noKey(String)
  case noLedger(String)

  var description: String {
    switch self {
    case .noKey(let path):
      "\(path) has no valid node key; put the old file back, as wallets dial this node by its id"
    case .noLedger(let path):
      "\(path) is missing, and the node has its key, so it had a ledger: put it back, or begin a new phone with --home"
    }
  }
}

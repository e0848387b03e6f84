import Ground
import Crypto
import DaemonRuntime

/// The LSP's node key, made at its first start: its public key is the node id that wallets dial.
struct NodeKeyFile {
  let path: String

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

  var description: String {
    switch self {
    case .noKey(let path):
      "\(path) has no valid node key; put the old file back, as wallets dial this node by its id"
    }
  }
}

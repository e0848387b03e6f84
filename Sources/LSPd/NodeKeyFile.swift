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

  /// All lspd of a shared ledger have the same key.
  func readOrMake(of ledger: Ledger) throws -> PrivateKey {
    let isNew = try !ledger.isKnownByNodes()
    guard let share = ledger.share else { return try readOrMake(isNew: isNew) }
    let key: PrivateKey
    do { key = try readOrMake(isNew: isNew) } catch NodeKeyError.missing { throw LedgerError.otherKey(path) }
    guard try share.setNode(key.publicKey.bytes) else { throw LedgerError.otherKey(path) }
    return key
  }

  private func bytes(isNew: Bool) throws -> [UInt8] {
    let secret = SecretFile(path: path, size: Bytes32.size)
    if let known = try secret.read() { return known }
    guard isNew else { throw NodeKeyError.missing(path) }
    var fresh = randomBytes(Bytes32.size)
    defer { fresh.wipe() }
    return try secret.keep(fresh)
  }
}

enum NodeKeyError: Error, CustomStringConvertible {
  case noKey(String)
  case missing(String)

  var description: String {
    switch self {
    case .missing(let path):
      "\(path) is missing, and wallets dial this node by its id; put the file back, or move the directory away to begin a new node"
    case .noKey(let path):
      "\(path) has no valid node key; put the old file back, as wallets dial this node by its id"
    }
  }
}

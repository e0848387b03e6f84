import Ground
import Crypto
import DaemonRuntime

/// The provider's own key, made with its first start: wallets know it by its public half.
struct NodeKeyFile {
  let path: String

  /// A new one only for a provider that no wallet knows yet.
  func readOrMake(isNew: Bool) throws -> PrivateKey {
    var bytes = try bytes(isNew: isNew)
    guard let key = PrivateKey(LockedSecret(taking: &bytes)) else { throw NodeKeyError.noKey(path) }
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
      "\(path) is gone, and wallets know this node by it; put it back, or move the directory away to begin a new one"
    case .noKey(let path):
      "\(path) is no key of a node; put the old one back, as wallets know this node by it"
    }
  }
}

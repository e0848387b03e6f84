import Crypto
import DaemonRuntime

/// The provider's own key, made with its first start: wallets know it by its public half.
struct NodeKeyFile {
  let path: String

  /// A new one only for a provider that no wallet knows yet.
  func readOrMake(isNew: Bool) throws -> PrivateKey {
    let secret = SecretFile(path: path, size: Bytes32.size)
    let known = try secret.read()
    guard known != nil || isNew else { throw NodeKeyError.missing(path) }
    let bytes = try known ?? secret.keep(randomBytes(Bytes32.size))
    guard let key = Bytes32(bytes).flatMap({ PrivateKey($0) }) else { throw NodeKeyError.noKey(path) }
    return key
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

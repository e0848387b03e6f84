import Crypto
import DaemonRuntime

/// The provider's own key, made with its first start: wallets know it by its public half.
struct NodeKeyFile {
  let path: String

  func readOrMake() throws -> PrivateKey {
    let secret = SecretFile(path: path, size: Bytes32.size)
    let bytes = try secret.read() ?? secret.keep(randomBytes(Bytes32.size))
    guard let key = Bytes32(bytes).flatMap({ PrivateKey($0) }) else { throw NodeKeyError.noKey(path) }
    return key
  }
}

enum NodeKeyError: Error, CustomStringConvertible {
  case noKey(String)

  var description: String {
    switch self {
    case .noKey(let path):
      "\(path) is no key of a node; put the old one back, as wallets know this node by it"
    }
  }
}

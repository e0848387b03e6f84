import Crypto
import DaemonRuntime
import Ground
import Guardrails

/// The wallet's private key for its pushes, once it was read. It stays in this process, and there in locked memory alone:
/// what brought it is overwritten.
struct PushKey {
  /// Of the phone's keychain, or of the file.
  enum Answer {
    case found(PushKey)
    /// There is an item, and it is no key.
    case noKey
    case missing
    /// With the reason.
    case withheld(String)

    /// The bytes are overwritten, unless another array shares them.
    init(taking bytes: inout [UInt8]) {
      guard bytes.count == Bytes32.size, let key = PrivateKey(LockedSecret(taking: &bytes)) else {
        bytes.wipe()
        self = .noKey
        return
      }
      self = .found(PushKey(key: key))
    }
  }

  private let key: PrivateKey

  private init(key: PrivateKey) { self.key = key }

  /// Without a phone the key is a file, which the app makes.
  static func answer(ofFileIn directory: String) -> Answer {
    let file = SecretFile(path: "\(directory)/\(KeychainItem.pushKey)", size: Bytes32.size)
    do {
      guard var bytes = try file.read() else { return .missing }
      return Answer(taking: &bytes)
    } catch { return .withheld("\(error)") }
  }

  func open(_ members: SealedMembers) throws(SealError) -> [UInt8] {
    try PushSeal.open(
      SealedPayload(
        cipher: members.cipher, iv: members.iv, publicKey: members.publicKey, tag: members.tag), with: key)
  }
}

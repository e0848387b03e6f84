import Crypto
import DaemonRuntime
import Ground
import PhoneLink
import PushSeal
import WalletProfiles

/// The wallet's private key for its pushes, once it was read. It stays in this process, in locked memory.
struct PushKey {
  private let key: PrivateKey

  /// nil if the bytes are no key.
  init?(taking bytes: inout [UInt8]) {
    guard bytes.count == Bytes32.size, let key = PrivateKey(LockedSecret(taking: &bytes)) else {
      bytes.wipe()
      return nil
    }
    self.key = key
  }

  /// Without a phone the key is a file, which the app makes.
  static func answer(ofFileIn directory: String) -> KeychainItem.Answer {
    let file = SecretFile(path: "\(directory)/\(KeychainItem.pushKey)", size: Bytes32.size)
    do { return try file.read().map { .found($0) } ?? .missing } catch { return .withheld("\(error)") }
  }

  func open(_ members: SealedMembers) throws(SealError) -> [UInt8] {
    try PushSeal.open(
      SealedPayload(
        cipher: members.cipher, iv: members.iv, publicKey: members.publicKey, tag: members.tag), with: key)
  }
}

import Crypto
import DaemonRuntime
import Glibc
import Lightning

/// The wallet's seed and what is derived from it. Nothing of it is written into the container or a journal.
final class WalletSecrets {
  private let path: String
  private let seed: [UInt8]
  private let backupKey: Bytes32
  /// Who the wallet's node is, to its peer and in its invoices.
  let nodeKey: PrivateKey
  private static let seedSize = 32
  private static let sealVersion: UInt8 = 1

  /// Reads the seed, or makes one for a wallet that is new. Both processes may do so at once: the one that comes second
  /// uses the first's.
  init(keychain directory: String, walletIsNew: Bool) throws {
    try OwnHome.makeDirectory(directory)
    let path = "\(directory)/wallet-seed"
    self.path = path
    let file = SecretFile(path: path, size: Self.seedSize)
    if let known = try file.read() {
      seed = known
    } else if walletIsNew {
      seed = try file.keep(randomBytes(Self.seedSize))
    } else {
      throw KeychainError.missing(path)
    }
    backupKey = Self.backupKey(of: seed)
    nodeKey = try Self.nodeKey(of: seed, path)
  }

  /// The same with the phone's keychain. A seed that lies in a file from before moves there.
  init(_ keychain: PhoneKeychain, movingFrom directory: String, walletIsNew: Bool) throws {
    let file = SecretFile(path: "\(directory)/wallet-seed", size: Self.seedSize)
    path = "the item \(PhoneKeychain.account) of the phone's keychain"
    if let known = try keychain.seed() {
      seed = known
      // Moved by a process that did not live to remove it.
      if try file.read() == known { unlink(file.path) }
    } else {
      let old = try file.read()
      guard let fresh = old ?? (walletIsNew ? randomBytes(Self.seedSize) : nil) else {
        throw KeychainError.missing(path)
      }
      let isOurs = try keychain.add(fresh)
      guard let kept = isOurs ? fresh : try keychain.seed() else { throw KeychainError.missing(path) }
      seed = kept
      if kept == old { unlink(file.path) }
    }
    guard seed.count == Self.seedSize else { throw KeychainError.wrongSize(path, Int64(seed.count)) }
    backupKey = Self.backupKey(of: seed)
    nodeKey = try Self.nodeKey(of: seed, path)
  }

  /// The one key in 2¹²⁸ that the curve does not have is nobody's seed: then there is none, and no second rule.
  private static func nodeKey(of seed: [UInt8], _ path: String) throws(KeychainError) -> PrivateKey {
    guard let key = PrivateKey(HMACSHA256.authenticate(Array("baton node key".utf8), key: seed)) else {
      throw .noNodeKey(path)
    }
    return key
  }

  private static func backupKey(of seed: [UInt8]) -> Bytes32 {
    HMACSHA256.authenticate(Array("baton peer storage".utf8), key: seed)
  }

  /// Throws if the wallet's invoices were made with another seed: a payment of one could be taken in and never claimed.
  func check(_ state: NodeState) throws(KeychainError) {
    for invoice in state.invoices + state.accepted
    where SHA256.hash(preimage(tweak: invoice.tweak).bytes) != invoice.paymentHash {
      throw .another(path)
    }
  }

  /// Puts in what no table and no backup has.
  func complete(_ invoices: inout [Invoice]) {
    for index in invoices.indices {
      invoices[index].paymentSecret = paymentSecret(tweak: invoices[index].tweak)
    }
  }

  func preimage(tweak: Bytes32) -> Bytes32 {
    HMACSHA256.authenticate(Array("baton preimage".utf8) + tweak.bytes, key: seed)
  }

  /// Known to whoever has the invoice, and to nobody on the way.
  func paymentSecret(tweak: Bytes32) -> Bytes32 {
    HMACSHA256.authenticate(Array("baton payment secret".utf8) + tweak.bytes, key: seed)
  }

  func makeInvoice(amountMsat: UInt64, text: String, expiresAt: Int64) -> Invoice {
    let tweak = Bytes32(randomBytes(Bytes32.size)) ?? .zero
    return Invoice(
      paymentHash: SHA256.hash(preimage(tweak: tweak).bytes), amountMsat: amountMsat, text: text,
      tweak: tweak, expiresAt: expiresAt, paymentSecret: paymentSecret(tweak: tweak))
  }

  /// As lightning-kmp lays it out: version, ciphertext, nonce, tag.
  func seal(_ backup: NodeBackup) -> [UInt8] {
    let nonce = randomBytes(ChaCha20Poly1305.nonceSize)
    let sealed = ChaCha20Poly1305.seal(backup.encoded(), key: backupKey, nonce: nonce) ?? []
    return [Self.sealVersion] + sealed.dropLast(ChaCha20Poly1305.tagSize) + nonce
      + sealed.suffix(ChaCha20Poly1305.tagSize)
  }

  func open(_ blob: [UInt8]) -> BackupReading {
    let overhead = 1 + ChaCha20Poly1305.nonceSize + ChaCha20Poly1305.tagSize
    guard blob.count > overhead else { return .unreadable }
    if blob[0] > Self.sealVersion { return .fromTheFuture }
    let tag = blob.suffix(ChaCha20Poly1305.tagSize)
    let beforeTag = blob.dropLast(ChaCha20Poly1305.tagSize)
    let nonce = Array(beforeTag.suffix(ChaCha20Poly1305.nonceSize))
    let ciphertext = beforeTag.dropFirst().dropLast(ChaCha20Poly1305.nonceSize)
    guard let plain = ChaCha20Poly1305.open(Array(ciphertext) + tag, key: backupKey, nonce: nonce) else {
      return .unreadable
    }
    guard case .backup(var backup) = NodeBackup.read(plain) else { return NodeBackup.read(plain) }
    complete(&backup.invoices)
    return .backup(backup)
  }
}

import Ground
import Crypto
import DaemonRuntime
import Glibc
import Wallet

/// The wallet's seed and the keys derived from it. None is written into the container or a journal, and those that
/// live as long as the process are in locked memory.
final class WalletSecrets {
  private let path: String
  private let seed: LockedSecret
  private let backupKey: LockedSecret
  /// The node's key, for its peer and its invoices.
  let nodeKey: PrivateKey
  private static let seedSize = 32
  private static let sealVersion: UInt8 = 1

  /// Reads the seed, or makes one for a new wallet. If both processes make one at once, the second uses the first's.
  convenience init(keychain directory: String, walletIsNew: Bool) throws {
    try OwnHome.makeDirectory(directory)
    let file = SecretFile(path: "\(directory)/wallet-seed", size: Self.seedSize)
    var bytes = try Self.seed(in: file, walletIsNew: walletIsNew)
    try self.init(seed: &bytes, from: file.path)
  }

  private init(seed bytes: inout [UInt8], from path: String) throws(KeychainError) {
    guard bytes.count == Self.seedSize else { throw .wrongSize(path, Int64(bytes.count)) }
    self.path = path
    seed = LockedSecret(taking: &bytes)
    backupKey = seed.derived("baton peer storage")
    // The chance of a number that is no key is 2⁻¹²⁸: that seed is an error, as a second derivation rule is not worth
    // it.
    guard let key = PrivateKey(seed.derived("baton node key")) else { throw .noNodeKey(path) }
    nodeKey = key
  }

  private static func seed(in file: SecretFile, walletIsNew: Bool) throws -> [UInt8] {
    if let known = try file.read() { return known }
    guard walletIsNew else { throw KeychainError.missing(file.path) }
    var fresh = randomBytes(seedSize)
    defer { fresh.wipe() }
    return try file.keep(fresh)
  }

  /// The same with the phone's keychain. Only the app makes a wallet: iOS may launch the extension before the app has
  /// ever run, such as after the app was installed anew.
  convenience init(_ keychain: PhoneKeychain, for role: Role, walletIsNew: Bool) throws {
    let path = "the item \(PhoneKeychain.account) of the phone's keychain"
    var bytes = try Self.seed(
      in: keychain, path, makesSeed: walletIsNew && role == .app, walletIsNew: walletIsNew)
    try self.init(seed: &bytes, from: path)
  }

  private static func seed(
    in keychain: PhoneKeychain, _ path: String, makesSeed: Bool, walletIsNew: Bool
  ) throws -> [UInt8] {
    if let known = try keychain.seed() { return known }
    guard makesSeed else { throw walletIsNew ? KeychainError.noWallet : .missing(path) }
    let kept = try keychain.keep(
      randomBytes(seedSize), as: PhoneKeychain.account, protection: keychain.protection)
    guard let kept else { throw KeychainError.missing(path) }
    return kept
  }

  /// Throws if the wallet's invoices were made with another seed: their payments could be accepted and never claimed.
  func check(_ state: NodeState) throws(KeychainError) {
    for invoice in state.invoices + state.accepted
    where SHA256.hash(preimage(tweak: invoice.tweak).bytes) != invoice.paymentHash { throw .another(path) }
  }

  /// Adds the payment secrets, which no table and no backup has.
  func complete(_ invoices: inout [Invoice]) {
    for index in invoices.indices {
      invoices[index].paymentSecret = paymentSecret(tweak: invoices[index].tweak)
    }
  }

  func preimage(tweak: Bytes32) -> Bytes32 {
    HMACSHA256.authenticate(Array("baton preimage".utf8) + tweak.bytes, key: seed)
  }

  /// Known to the payer through the invoice, and not to forwarding nodes.
  func paymentSecret(tweak: Bytes32) -> Bytes32 {
    HMACSHA256.authenticate(Array("baton payment secret".utf8) + tweak.bytes, key: seed)
  }

  func makeInvoice(amountMsat: UInt64, text: String, expiresAt: Int64) -> Invoice {
    let tweak = Bytes32(randomBytes(Bytes32.size)) ?? .zero
    return Invoice(
      paymentHash: SHA256.hash(preimage(tweak: tweak).bytes), amountMsat: amountMsat, text: text,
      tweak: tweak, expiresAt: expiresAt, paymentSecret: paymentSecret(tweak: tweak))
  }

  /// In lightning-kmp's format: version, ciphertext, nonce, tag.
  func seal(_ backup: [UInt8]) -> [UInt8] {
    let nonce = randomBytes(ChaCha20Poly1305.nonceSize)
    let sealed = ChaCha20Poly1305.seal(backup, key: backupKey, nonce: nonce) ?? []
    return [Self.sealVersion] + sealed.dropLast(ChaCha20Poly1305.tagSize) + nonce
      + sealed.suffix(ChaCha20Poly1305.tagSize)
  }

  func open(_ blob: [UInt8]) -> BackupReading {
    let overhead = 1 + ChaCha20Poly1305.nonceSize + ChaCha20Poly1305.tagSize
    guard blob.count > overhead else { return .unreadable }
    guard blob[0] == Self.sealVersion else { return .otherVersion(blob[0], known: Self.sealVersion) }
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

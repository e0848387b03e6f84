import Crypto
import DaemonRuntime
import Glibc
import Lightning

/// The wallet's seed and what is derived from it. Nothing of it is written into the container or a journal.
final class WalletSecrets {
  private let path: String
  private let seed: [UInt8]
  private let backupKey: Bytes32
  private static let seedSize = 32
  private static let sealVersion: UInt8 = 1

  /// Reads the seed, or makes one for a wallet that is new. Both processes may do so at once: the one that comes second
  /// uses the first's.
  init(keychain directory: String, walletIsNew: Bool) throws {
    if mkdir(directory, 0o700) != 0 && errno != EEXIST { throw SystemError("create \(directory)") }
    let path = "\(directory)/wallet-seed"
    self.path = path
    if let known = try Self.read(path) {
      seed = known
    } else if walletIsNew {
      seed = try Self.create(path, in: directory)
    } else {
      throw KeychainError.missing(path)
    }
    backupKey = Self.backupKey(of: seed)
  }

  /// The same with the phone's keychain. A seed that lies in a file from before moves there.
  init(_ keychain: PhoneKeychain, movingFrom directory: String, walletIsNew: Bool) throws {
    let file = "\(directory)/wallet-seed"
    path = "the item \(PhoneKeychain.account) of the phone's keychain"
    if let known = try keychain.seed() {
      seed = known
      // Moved by a process that did not live to remove it.
      if try Self.read(file) == known { unlink(file) }
    } else {
      let old = try Self.read(file)
      guard let fresh = old ?? (walletIsNew ? randomBytes(Self.seedSize) : nil) else {
        throw KeychainError.missing(path)
      }
      let isOurs = try keychain.add(fresh)
      guard let kept = isOurs ? fresh : try keychain.seed() else { throw KeychainError.missing(path) }
      seed = kept
      if kept == old { unlink(file) }
    }
    guard seed.count == Self.seedSize else { throw KeychainError.wrongSize(path, Int64(seed.count)) }
    backupKey = Self.backupKey(of: seed)
  }

  private static func backupKey(of seed: [UInt8]) -> Bytes32 {
    HMACSHA256.authenticate(Array("baton peer storage".utf8), key: seed)
  }

  private static func read(_ path: String) throws -> [UInt8]? {
    let descriptor: Int32
    do throws(SystemError) {
      descriptor = try PlainFile.open(path, O_RDONLY)
    } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemError("look at \(path)") }
    guard status.st_mode & 0o077 == 0 else { throw KeychainError.openToOthers(path) }
    var bytes = [UInt8](repeating: 0, count: seedSize + 1)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw SystemError("read \(path)") }
    guard count == seedSize else { throw KeychainError.wrongSize(path, Int64(status.st_size)) }
    return Array(bytes.prefix(seedSize))
  }

  /// Throws if the wallet's invoices were made with another seed: a payment of one could be taken in and never claimed.
  func check(_ state: NodeState) throws(KeychainError) {
    for invoice in state.invoices
    where SHA256.hash(preimage(tweak: invoice.tweak).bytes) != invoice.paymentHash {
      throw .another(path)
    }
  }

  /// Written whole under another name and then linked, so that nobody ever reads half a seed and a seed that is
  /// there is never replaced.
  private static func create(_ path: String, in directory: String) throws -> [UInt8] {
    let fresh = randomBytes(seedSize)
    let temporary = "\(directory)/.wallet-seed.\(getpid())"
    let descriptor = Glibc.open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if descriptor < 0 { throw SystemError("create \(temporary)") }
    let isWritten = write(descriptor, fresh, fresh.count) == fresh.count && fsync(descriptor) == 0
    let code = errno
    close(descriptor)
    defer { unlink(temporary) }
    guard isWritten else { throw SystemError("write \(temporary)", code: code) }
    if link(temporary, path) != 0 && errno != EEXIST { throw SystemError("create \(path)") }
    let directoryDescriptor = Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if directoryDescriptor >= 0 {
      fsync(directoryDescriptor)
      close(directoryDescriptor)
    }
    guard let seed = try read(path) else { throw SystemError("read \(path)", code: ENOENT) }
    return seed
  }

  func preimage(tweak: Bytes32) -> Bytes32 {
    HMACSHA256.authenticate(Array("baton preimage".utf8) + tweak.bytes, key: seed)
  }

  func makeInvoice(amountMsat: UInt64, text: String, expiresAt: Int64) -> Invoice {
    let tweak = Bytes32(randomBytes(Bytes32.size)) ?? .zero
    return Invoice(
      paymentHash: SHA256.hash(preimage(tweak: tweak).bytes), amountMsat: amountMsat, text: text,
      tweak: tweak, expiresAt: expiresAt)
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
    return NodeBackup.read(plain)
  }
}

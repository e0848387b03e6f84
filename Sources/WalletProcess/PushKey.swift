import Crypto
import DaemonRuntime
import Ground

/// The key to which servers seal this wallet's pushes. The app makes it at its first start; it needs no backup, as a new
/// one is registered with each connection.
enum PushKey {
  /// An item that the extension can read as soon as the phone was unlocked once.
  static let protection = "after-first-unlock"

  struct Reading {
    var key: PrivateKey?
    /// Why there is none, for the journal.
    var trouble: String?
  }

  /// If it can be neither read nor made, the wallet works without it, and its pushes are texts that say nothing.
  static func readOrMake(_ keychain: PhoneKeychain?, directory: String) -> Reading {
    do {
      var bytes = try keychain.map { try item(in: $0) } ?? file(in: directory)
      guard let key = PrivateKey(LockedSecret(taking: &bytes)) else {
        return Reading(
          trouble: "the item \(KeychainItem.pushKey) is no key; remove it, and the next start makes another")
      }
      return Reading(key: key)
    } catch { return Reading(trouble: "the key for pushes cannot be used: \(error)") }
  }

  private static func item(in keychain: PhoneKeychain) throws(KeychainError) -> [UInt8] {
    if let known = try keychain.read(KeychainItem.pushKey) { return known }
    let fresh = make()
    return try keychain.keep(fresh, as: KeychainItem.pushKey, protection: protection) ?? fresh
  }

  private static func file(in directory: String) throws -> [UInt8] {
    let file = SecretFile(path: "\(directory)/\(KeychainItem.pushKey)", size: Bytes32.size)
    return try file.read() ?? file.keep(make())
  }

  /// A number that is no key has a chance of 2⁻¹²⁸, and would be reported at each start.
  private static func make() -> [UInt8] { randomBytes(Bytes32.size) }
}

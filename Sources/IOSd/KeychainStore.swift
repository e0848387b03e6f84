import Crypto
import DaemonRuntime
import Glibc
import Ground
import PhonePolicy

/// The items of the phone's keychain, one file each, sealed with a key in os/. A device keeps that key in the
/// Secure Enclave; here a program that can read the home can read all items.
final class KeychainStore {
  static let valueMax = 4096
  static let nameMax = 128
  static let itemsMax = 256
  private static let fileMax = 16 * 1024

  private let directory: String
  private let key: Bytes32

  init(directory: String, key path: String) throws {
    self.directory = directory
    try OwnHome.makeDirectory(directory)
    key = try Self.readOrMakeKey(path, beside: directory)
  }

  /// A missing key is replaced only if there are no items that it could have sealed.
  private static func readOrMakeKey(_ path: String, beside items: String) throws -> Bytes32 {
    let file = SecretFile(path: path, size: Bytes32.size)
    guard let names = DirectoryListing.names(of: items) else { throw SystemError("list \(items)") }
    let known: [UInt8]?
    do { known = try file.read(isNeeded: names.contains { $0.hasSuffix(".item") }) } catch SecretFileError
      .wrongSize
    {
      throw KeychainStoreError.damagedKey(path)
    }
    guard let key = Bytes32(try known ?? file.keep(randomBytes(Bytes32.size))) else {
      throw KeychainStoreError.damagedKey(path)
    }
    return key
  }

  // MARK: Items

  /// Nil if there is no such item.
  func item(_ group: String, _ account: String) throws -> KeychainItem? {
    let path = self.path(group, account)
    guard let bytes = try SmallFile.readOwn(path, limit: Self.fileMax) else { return nil }
    guard let item = Self.read(bytes), item.group == group, item.account == account else {
      throw KeychainStoreError.damagedItem(path)
    }
    return item
  }

  static func read(_ bytes: [UInt8]) -> KeychainItem? {
    try? JSONLineDecoder().decode(KeychainItem.self, from: bytes)
  }

  func value(of item: KeychainItem) throws(KeychainStoreError) -> [UInt8] {
    guard let sealed = Hexadecimal.decode(item.sealed), let nonce = Hexadecimal.decode(item.nonce),
      let value = ChaCha20Poly1305.open(sealed, key: key, nonce: nonce, authenticating: item.header)
    else { throw .damagedItem(path(item.group, item.account)) }
    return value
  }

  func write(_ value: [UInt8], _ group: String, _ account: String, _ protection: KeychainProtection) throws {
    let isNew = try item(group, account) == nil
    if isNew && items.count >= Self.itemsMax { throw KeychainStoreError.full }
    let nonce = randomBytes(ChaCha20Poly1305.nonceSize)
    let header = KeychainItem.header(group, account, protection)
    guard let sealed = ChaCha20Poly1305.seal(value, key: key, nonce: nonce, authenticating: header) else {
      throw KeychainStoreError.damagedKey(directory)
    }
    let item = KeychainItem(
      group: group, account: account, protection: protection, nonce: Hexadecimal.encode(nonce),
      sealed: Hexadecimal.encode(sealed))
    // Durable before the answer: the item may be the only copy.
    let bytes = Array(try JSONLineEncoder().encode(item).utf8)
    let path = path(group, account)
    try PlainFile.replace(path, with: bytes, syncs: true)
    try PlainFile.keepName(of: path)
  }

  /// False if there was no such item.
  func delete(_ group: String, _ account: String) -> Bool { unlink(path(group, account)) == 0 }

  /// All readable items; values stay sealed.
  var items: [KeychainItem] {
    let names = DirectoryListing.names(of: directory) ?? []
    return names.filter { $0.hasSuffix(".item") }.compactMap {
      (try? SmallFile.readOwn("\(directory)/\($0)", limit: Self.fileMax)).flatMap(Self.read)
    }
  }

  /// Names come from other programs, so they are hashed and not used in a path.
  private func path(_ group: String, _ account: String) -> String {
    let digest = SHA256.hash(Array("\(group)\n\(account)".utf8)).bytes
    return "\(directory)/\(Hexadecimal.encode(digest.prefix(16))).item"
  }
}

/// Why the keychain cannot be used.
enum KeychainStoreError: Error, Hashable, CustomStringConvertible {
  case damagedKey(String)
  case damagedItem(String)
  case full

  var description: String {
    switch self {
    case .damagedKey(let path):
      "\(path) is not the keychain's key of 32 bytes; restore it: without it the items, such as the wallet's seed, cannot be opened"
    case .damagedItem(let path):
      "\(path) cannot be opened with the keychain's key; restore both: without them the item, such as the wallet's seed, is lost"
    case .full: "the keychain has \(KeychainStore.itemsMax) items, the maximum; delete one first"
    }
  }
}

/// One item as stored in its file: only its value is sealed.
struct KeychainItem: Codable, Hashable {
  var group: String
  var account: String
  var protection: KeychainProtection
  /// Hexadecimal, as is `sealed`.
  var nonce: String
  var sealed: String

  /// Authenticated along with the value: an item moved to another group, account or protection class cannot be
  /// opened.
  var header: [UInt8] { Self.header(group, account, protection) }

  static func header(_ group: String, _ account: String, _ protection: KeychainProtection) -> [UInt8] {
    Array("\(group)\n\(account)\n\(protection.rawValue)".utf8)
  }
}

import CSodium
import Foundation

@testable import TestHomes

// The seed as iosd's keychain stores it, in place of the file.
extension SampleRun {
  static let keychainKey = (0..<32).map { UInt8($0) }

  static let group = "A1B2C3D4E5.com.example.lightning"

  func sealSeed(with key: [UInt8]) throws {
    try FileManager.default.removeItem(atPath: "\(home)/Keychain/wallet-seed")
    try seal(Self.seed, in: Self.group, with: key, as: "1")
  }

  /// Seals an item of any keychain group.
  func seal(
    _ seed: [UInt8], in group: String, account: String = "wallet-seed", with key: [UInt8] = keychainKey,
    as name: String
  ) throws {
    let header = Array("\(group)\n\(account)\nafter-first-unlock".utf8)
    let nonce = (0..<12).map { UInt8(100 + $0) }
    var sealed = [UInt8](repeating: 0, count: seed.count + 16)
    crypto_aead_chacha20poly1305_ietf_encrypt(
      &sealed, nil, seed, UInt64(seed.count), header, UInt64(header.count), nil, nonce, key)
    let item =
      "{\"group\":\"\(group)\",\"account\":\"\(account)\",\"protection\":\"after-first-unlock\","
      + "\"nonce\":\"\(WireBytes.hex(nonce))\",\"sealed\":\"\(WireBytes.hex(sealed))\"}\n"
    try FileManager.default.createDirectory(
      atPath: "\(home)/Keychain/items", withIntermediateDirectories: true)
    try item.write(toFile: "\(home)/Keychain/items/\(name).item", atomically: false, encoding: .utf8)
    try Data(Self.keychainKey).write(to: URL(fileURLWithPath: "\(home)/os/keychain.key"))
  }
}

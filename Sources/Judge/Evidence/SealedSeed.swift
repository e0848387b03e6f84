import CSodium
import Foundation

/// The wallet's seed as the phone keeps it: opened with the phone's key, by the form that docs/protocols.md gives.
enum SealedSeed {
  private static let account = "wallet-seed"

  /// Nil if there is none that can be opened.
  static func open(home: String) -> [UInt8]? {
    let directory = home + "/Keychain/items"
    guard let key = FileManager.default.contents(atPath: home + "/os/keychain.key"),
      key.count == Int(crypto_aead_chacha20poly1305_ietf_KEYBYTES)
    else { return nil }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    for name in names.sorted() where name.hasSuffix(".item") {
      guard let bytes = FileManager.default.contents(atPath: "\(directory)/\(name)"),
        let item = JSONParser.parse(Array(bytes)), item["account"]?.text == account,
        let seed = value(of: item, key: Array(key))
      else { continue }
      return seed
    }
    return nil
  }

  private static func bytes(ofHexadecimal text: String) -> [UInt8]? {
    let digits = text.compactMap(\.hexDigitValue)
    guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  private static func value(of item: JSONValue, key: [UInt8]) -> [UInt8]? {
    guard let group = item["group"]?.text, let protection = item["protection"]?.text,
      let nonce = item["nonce"]?.text.flatMap(bytes(ofHexadecimal:)),
      let sealed = item["sealed"]?.text.flatMap(bytes(ofHexadecimal:)),
      nonce.count == Int(crypto_aead_chacha20poly1305_ietf_NPUBBYTES),
      sealed.count >= Int(crypto_aead_chacha20poly1305_ietf_ABYTES)
    else { return nil }
    let header = Array("\(group)\n\(account)\n\(protection)".utf8)
    var plain = [UInt8](repeating: 0, count: sealed.count)
    var count: UInt64 = 0
    let result = crypto_aead_chacha20poly1305_ietf_decrypt(
      &plain, &count, nil, sealed, UInt64(sealed.count), header, UInt64(header.count), nonce, key)
    return result == 0 ? Array(plain.prefix(Int(count))) : nil
  }
}

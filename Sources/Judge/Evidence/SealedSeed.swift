import Ground
import CSodium

/// A secret in the keychain, as the wallet's seed, opened with the phone's key as docs/protocols.md describes.
struct SealedSeed {
  static let seed = "wallet-seed"
  static let pushKey = "push-key"

  let group: String
  let bytes: [UInt8]

  /// All items of that account that can be opened, sorted by file name.
  static func all(home: String, account: String = seed) -> [SealedSeed] {
    let directory = home + "/Keychain/items"
    guard let key = EvidenceFile.whole(home + "/os/keychain.key"),
      key.count == Int(crypto_aead_chacha20poly1305_ietf_KEYBYTES)
    else { return [] }
    let names = EvidenceFile.names(in: directory)
    return names.sorted().filter { $0.hasSuffix(".item") }.compactMap { name in
      guard let bytes = EvidenceFile.whole("\(directory)/\(name)"), let item = JSONValue(parsing: bytes),
        item["account"]?.text == account,
        let group = item["group"]?.text, let seed = value(of: item, account: account, key: key)
      else { return nil }
      return SealedSeed(group: group, bytes: seed)
    }
  }

  /// The wallet's seed, by the access group of its last start, with a remark if there are several. Nil if there is
  /// none: then the seed is in a file.
  static func ofWallet(among seeds: [SealedSeed], _ journals: [JournalHead]) -> (
    seed: SealedSeed?, remark: String?
  ) {
    let group = journals.reversed().lazy.compactMap(group(of:)).first
    let own = group.map { group in seeds.first { $0.group == group } } ?? seeds.first
    guard seeds.count > 1 else { return (own, nil) }
    let groups = seeds.map(\.group).joined(separator: ", ")
    let choice =
      group == nil
      ? "no journal names the wallet's group, so the first seed was used"
      : own.map { "that of \($0.group) is the wallet's" } ?? "none is in the wallet's group"
    return (own, "the keychain has \(seeds.count) seeds, in \(groups): \(choice)")
  }

  /// The access group on a wallet process's command line.
  private static func group(of journal: JournalHead) -> String? {
    guard journal.process != "iosd",
      let place = journal.arguments.firstIndex(of: "--keychain-group"), place + 1 < journal.arguments.count
    else { return nil }
    return journal.arguments[place + 1]
  }

  private static func value(of item: JSONValue, account: String, key: [UInt8]) -> [UInt8]? {
    guard let group = item["group"]?.text, let protection = item["protection"]?.text,
      let nonce = item["nonce"]?.text.flatMap(Hexadecimal.decode),
      let sealed = item["sealed"]?.text.flatMap(Hexadecimal.decode),
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

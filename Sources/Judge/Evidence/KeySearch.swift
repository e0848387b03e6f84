/// Looks in files for keys in the clear: the wallet's seed, raw, in hexadecimal or in base64, and the beginnings of the
/// usual texts of private keys. For other tools than the judge.
public struct KeySearch {
  private let names: [String]
  private let search: SecretSearch

  private static let texts = [
    ("an extended private key", "xprv9s21ZrQH143K"), ("an extended private key", "tprv8ZgxMBicQKsPd"),
    ("a private key", "-----BEGIN PRIVATE KEY"), ("a private key", "-----BEGIN EC PRIVATE KEY"),
    ("a private key", "-----BEGIN RSA PRIVATE KEY"), ("a private key", "-----BEGIN OPENSSH PRIVATE KEY"),
  ]

  /// With the seed of a phone's home, if its keychain can be opened.
  public init(home: String?) {
    var found = Self.texts.map { ($0.0, Array($0.1.utf8)) }
    if let home {
      let seeds =
        SealedSeed.all(home: home).map(\.bytes) + [EvidenceFile.whole(home + "/Keychain/wallet-seed") ?? []]
      found += seeds.filter { $0.count >= 16 }.map { ("the wallet's seed", $0) }
    }
    names = found.map(\.0)
    search = SecretSearch(found.map(\.1))
  }

  /// The first key in a plain file, as far as `bytesMax`; nil also for a file that cannot be read. Not for a database
  /// that this process has open: closing its file would drop SQLite's locks.
  public func first(in path: String, bytesMax: Int64) -> (what: String, offset: Int)? {
    guard let file = try? EvidenceFile(path) else { return nil }
    var scan = SecretScan(search)
    var piece: [UInt8] = []
    var count: Int64 = 0
    while count < bytesMax, (try? file.next(&piece)) == true {
      count += Int64(piece.count)
      if let hit = scan.feed(piece[...]).first { return (names[hit.secret], hit.offset) }
    }
    return nil
  }
}

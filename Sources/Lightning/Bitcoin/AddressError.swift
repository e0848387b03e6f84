/// Why a word is no address that can be paid.
public enum AddressError: Error, Hashable, Codable, Sendable, CustomStringConvertible {
  case notAnAddress
  case mixedCase
  case checksumIsWrong
  /// Of another network: that one, if it is known, and the one that is meant.
  case otherNetwork(BitcoinNetwork?, wanted: BitcoinNetwork)
  /// Its checksum is right, and still there is no such way to be paid.
  case noSuchOutput

  public var description: String {
    switch self {
    case .notAnAddress: "this is no bitcoin address; copy it again, all of it and nothing else"
    case .mixedCase:
      "the address has capital and small letters, and must have one kind alone; copy it as it was made"
    case .checksumIsWrong:
      "the checksum of the address is wrong, so a character is lost or changed; copy it again"
    case .otherNetwork(let found, let wanted):
      "the address is one of \(found?.rawValue ?? "another network"), and this wallet is on \(wanted.rawValue); ask for one that begins with \(wanted.addressPrefix)1"
    case .noSuchOutput: "the address names no way to be paid that there is in bitcoin; ask for another one"
    }
  }
}

/// Why a text is not an address that can be paid.
public enum AddressError: Error, Hashable, Codable, Sendable, CustomStringConvertible {
  case notAnAddress
  case mixedCase
  case checksumIsWrong
  /// `found`: the address's network, if it is known.
  case otherNetwork(BitcoinNetwork?, wanted: BitcoinNetwork)
  /// The checksum is right, but the output type does not exist.
  case noSuchOutput

  public var description: String {
    switch self {
    case .notAnAddress: "this is not a bitcoin address; copy the whole address again, and nothing else"
    case .mixedCase:
      "the address mixes upper and lower case; copy it unchanged"
    case .checksumIsWrong:
      "the checksum of the address is wrong: a character is lost or changed; copy it again"
    case .otherNetwork(let found, let wanted):
      "the address is for \(found?.rawValue ?? "another network"), and this wallet is on \(wanted.rawValue); ask for one that begins with \(wanted.addressPrefix)1"
    case .noSuchOutput: "the address has an output type that does not exist; ask for another one"
    }
  }
}

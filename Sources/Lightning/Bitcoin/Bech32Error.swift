/// Why text is none of BIP 173.
package enum Bech32Error: Error, Hashable {
  case foreignCharacter
  case mixedCase
  case noSeparator
  case tooShort
  case checksumIsWrong
}

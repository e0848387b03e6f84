/// Why a text is not Bech32 (BIP 173).
package enum Bech32Error: Error, Hashable {
  case foreignCharacter
  case mixedCase
  case noSeparator
  case tooShort
  case checksumIsWrong
}

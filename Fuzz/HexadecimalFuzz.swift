import Ground
import Crypto

/// Hexadecimal digits: hashes on the command line, journals.
enum HexadecimalFuzz: FuzzTarget {
  static let name = "hexadecimal"
  static let longestInput = 256

  static var seeds: [[UInt8]] { ["", "00ffAb", "0", "zz"].map { Array($0.utf8) } }

  static func feed(_ bytes: [UInt8]) {
    promise(Hexadecimal.decode(Hexadecimal.encode(bytes)) == bytes, "bytes do not round-trip")
    let word = text(bytes)
    guard let decoded = Hexadecimal.decode(word) else { return }
    promise(Hexadecimal.encode(decoded) == word.lowercased(), "digits do not round-trip")
    promise((Bytes32(hex: word) == nil) == (decoded.count != 32), "32 bytes are miscounted")
  }
}

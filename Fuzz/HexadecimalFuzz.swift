import Ground
import Crypto

/// Bytes written as digits: invoices, hashes on the command line, journals.
enum HexadecimalFuzz: FuzzTarget {
  static let name = "hexadecimal"
  static let longestInput = 256

  static var seeds: [[UInt8]] { ["", "00ffAb", "0", "zz"].map { Array($0.utf8) } }

  static func feed(_ bytes: [UInt8]) {
    promise(Hexadecimal.decode(Hexadecimal.encode(bytes)) == bytes, "bytes do not come back")
    let word = text(bytes)
    guard let decoded = Hexadecimal.decode(word) else { return }
    promise(Hexadecimal.encode(decoded) == word.lowercased(), "digits do not come back")
    promise((Bytes32(hex: word) == nil) == (decoded.count != 32), "32 bytes are miscounted")
  }
}

/// Why a sealed payload cannot be opened.
public enum SealError: Error, Hashable, Sendable, CustomStringConvertible {
  case cipherIsNoBase64
  case ivIsNoHexadecimal
  case ivTooShort(Int)
  case tagIsNoHexadecimal
  case tagOfWrongLength(Int)
  case noPointOnTheCurve
  /// Changed on the way, or sealed to another key.
  case wrongTag

  public var description: String {
    switch self {
    case .cipherIsNoBase64: "the cipher is no base64; the sender must encode it with padding"
    case .ivIsNoHexadecimal: "the iv is not hexadecimal; the sender must write two digits for each byte"
    case .ivTooShort(let count):
      "the iv has \(count) bytes; the sender must use \(PushSeal.shortestIV) or more"
    case .tagIsNoHexadecimal: "the tag is not hexadecimal; the sender must write two digits for each byte"
    case .tagOfWrongLength(let count):
      "the tag has \(count) bytes; the sender must send all \(AES256GCM.tagSize)"
    case .noPointOnTheCurve: "the public key is no compressed point of secp256k1; the sender must send one"
    case .wrongTag: "the payload was changed, or was sealed to another key; register this wallet's key again"
    }
  }
}

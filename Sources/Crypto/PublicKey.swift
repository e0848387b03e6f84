import Ground
import CSecp256k1

/// A compressed point of secp256k1, such as a node id. Always on the curve.
public struct PublicKey: Hashable, Sendable {
  public static let size = 33
  /// 2 or 3 for the sign of y, stored before the x coordinate.
  private let sign: UInt8
  private let x: Bytes32

  /// nil unless there are 33 bytes that are a point.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == Self.size, let sign = bytes.first, sign == 2 || sign == 3,
      let x = Bytes32(bytes.dropFirst())
    else { return nil }
    self.sign = sign
    self.x = x
    guard parsed != nil else { return nil }
  }

  /// nil unless there are 66 hexadecimal digits that are a point.
  public init?(hex: String) {
    guard let bytes = Hexadecimal.decode(hex) else { return nil }
    self.init(bytes)
  }

  init?(_ key: secp256k1_pubkey) {
    var key = key
    var bytes = [UInt8](repeating: 0, count: Self.size)
    var length = bytes.count
    let flags = UInt32(SECP256K1_EC_COMPRESSED)
    guard secp256k1_ec_pubkey_serialize(Curve.context, &bytes, &length, &key, flags) == 1 else { return nil }
    self.init(bytes)
  }

  /// In the library's form; nil only during initialisation.
  var parsed: secp256k1_pubkey? {
    var key = secp256k1_pubkey()
    let bytes = self.bytes
    return secp256k1_ec_pubkey_parse(Curve.context, &key, bytes, bytes.count) == 1 ? key : nil
  }

  public var bytes: [UInt8] { [sign] + x.bytes }
  public var hex: String { Hexadecimal.encode(bytes) }
}

extension PublicKey: CustomStringConvertible {
  public var description: String { hex }
}

extension PublicKey: Comparable {
  public static func < (left: PublicKey, right: PublicKey) -> Bool {
    (left.sign, left.x) < (right.sign, right.x)
  }
}

extension PublicKey: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let value = PublicKey(hex: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "not a public key: write the 66 hexadecimal digits of a compressed point")
    }
    self = value
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(hex)
  }
}

import Ground
import Crypto

/// BOLT 3's per-commitment secrets. Points and signatures are not implemented: the seed is a public function of the
/// channel and the side, so that each end can check the other's secrets exactly, and a channel's state has no
/// secret.
public enum PerCommitmentSecret {
  /// BOLT 3 counts commitments down from here.
  public static let firstIndex: UInt64 = (1 << 48) - 1

  public static func seed(channel: Bytes32, ofOpener: Bool) -> Bytes32 {
    SHA256.hash(Array("per-commitment seed".utf8) + channel.bytes + [ofOpener ? 1 : 0])
  }

  /// The secret that revokes the commitment of this number, counted up from zero.
  public static func secret(channel: Bytes32, ofOpener: Bool, commitment number: UInt64) -> Bytes32 {
    generate(seed: seed(channel: channel, ofOpener: ofOpener), index: firstIndex &- min(number, firstIndex))
  }

  /// BOLT 3's `generate_from_seed`.
  public static func generate(seed: Bytes32, index: UInt64) -> Bytes32 {
    var bytes = seed.bytes
    for bit in (0..<48).reversed() where index >> UInt64(bit) & 1 == 1 {
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      SHA256.rehash(&bytes)
    }
    return Bytes32(bytes) ?? .zero
  }
}

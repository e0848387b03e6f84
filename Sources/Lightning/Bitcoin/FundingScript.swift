import Ground
import Crypto

/// BOLT 3, "Funding Transaction Output": a 2-of-2 multisig.
public enum FundingScript {
  private static let two: UInt8 = 0x52
  private static let checkMultipleSignatures: UInt8 = 0xae

  /// `2 <pubkey1> <pubkey2> 2 OP_CHECKMULTISIG`, with the keys sorted.
  public static func witnessScript(_ one: CurvePoint, _ other: CurvePoint) -> Bytes {
    let keys = [one.bytes.array, other.bytes.array].sorted { $0.lexicographicallyPrecedes($1) }
    return Bytes([two] + keys.flatMap { [UInt8(CurvePoint.size)] + $0 } + [two, checkMultipleSignatures])
  }

  /// Its P2WSH output.
  public static func output(_ one: CurvePoint, _ other: CurvePoint) -> OutputScript {
    OutputScript(Bytes([0, UInt8(Bytes32.size)] + SHA256.hash(witnessScript(one, other).array).bytes))
  }
}

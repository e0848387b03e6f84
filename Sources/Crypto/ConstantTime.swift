import Ground
import CSodium

/// A comparison whose duration does not depend on where two secrets differ.
public enum ConstantTime {
  public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && (left.isEmpty || sodium_memcmp(left, right, left.count) == 0)
  }

  public static func areEqual(_ left: Bytes32, _ right: Bytes32) -> Bool { areEqual(left.bytes, right.bytes) }
}

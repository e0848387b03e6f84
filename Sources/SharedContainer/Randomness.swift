import Ground
import Glibc
import Guardrails

/// The kernel's random bytes.
enum Randomness {
  static func number() throws(ContainerError) -> UInt64 {
    var number: UInt64 = 0
    guard getentropy(&number, MemoryLayout<UInt64>.size) == 0 else { throw .noRandomness }
    return number
  }

  static func containerID() throws(ContainerError) -> ContainerID {
    ContainerID(high: try number(), low: try number())
  }
}

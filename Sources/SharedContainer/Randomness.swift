import Ground
import Guardrails
import Platform

/// The kernel's random bytes.
enum Randomness {
  static func number() throws(ContainerError) -> UInt64 {
    guard let number = Kernel.randomNumber() else { throw .noRandomness }
    return number
  }

  static func containerID() throws(ContainerError) -> ContainerID {
    ContainerID(high: try number(), low: try number())
  }
}

import Ground
import CSecp256k1

/// The library's context: created and blinded once, then only read, which the library allows from any number of
/// threads.
enum Curve {
  nonisolated(unsafe) static let context: OpaquePointer = {
    // Fails only without memory, when nothing else would work either.
    guard let context = secp256k1_context_create(UInt32(SECP256K1_CONTEXT_NONE)) else {
      fatalError("libsecp256k1 has no memory for its context")
    }
    // Protects against timing and power analysis; results do not depend on it.
    _ = secp256k1_context_randomize(context, randomBytes(Bytes32.size))
    return context
  }()
}

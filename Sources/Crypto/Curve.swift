import Ground
import CSecp256k1

/// The library's context: made once, blinded once, and only read from then on, which the library allows to any number
/// of threads.
enum Curve {
  nonisolated(unsafe) static let context: OpaquePointer = {
    // It fails only without memory, and then nothing else would go on either.
    guard let context = secp256k1_context_create(UInt32(SECP256K1_CONTEXT_NONE)) else {
      fatalError("libsecp256k1 has no memory for its context")
    }
    // Against those who watch how long an operation takes or what it draws; results do not depend on it.
    _ = secp256k1_context_randomize(context, randomBytes(Bytes32.size))
    return context
  }()
}

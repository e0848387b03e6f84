import CSodium

/// The one impure function of this module: bytes from the kernel's random source. Only I/O code calls it; the bytes
/// reach a core in an event, so that a replay uses the same ones.
public func randomBytes(_ count: Int) -> [UInt8] {
  guard count > 0 else { return [] }
  // Idempotent; without it libsodium would open the random source again in each thread.
  _ = sodium_init()
  var bytes = [UInt8](repeating: 0, count: count)
  randombytes_buf(&bytes, count)
  return bytes
}

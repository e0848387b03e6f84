import CSodium

/// The one impure function of this module: bytes from the kernel's random source. Only shells call it; what they
/// draw goes into a core as part of an event, so that a replay sees the same bytes.
public func randomBytes(_ count: Int) -> [UInt8] {
  guard count > 0 else { return [] }
  // Idempotent; without it libsodium would open the random source anew in each thread.
  _ = sodium_init()
  var bytes = [UInt8](repeating: 0, count: count)
  randombytes_buf(&bytes, count)
  return bytes
}

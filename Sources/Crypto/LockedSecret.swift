import CSodium

/// Secret bytes in pages of their own: excluded from swap and core dumps, and overwritten on deinit. If the system
/// locks no memory for this user (RLIMIT_MEMLOCK), the rest still applies.
///
/// Its description is its size alone, and it is not `Codable`: it cannot end up in a journal.
public final class LockedSecret: Sendable {
  // Written once, before any other thread can see the object.
  private nonisolated(unsafe) let start: UnsafeMutableRawPointer
  public let count: Int

  /// Takes over the bytes: the array is overwritten and empty afterwards.
  public init(taking bytes: inout [UInt8]) {
    // Idempotent; without it libsodium does not know the page size.
    _ = sodium_init()
    count = bytes.count
    guard let start = sodium_malloc(bytes.count) else { fatalError("there is no memory for a secret") }
    self.start = start
    start.copyMemory(from: bytes, byteCount: bytes.count)
    sodium_mprotect_readonly(start)
    bytes.wipe()
  }

  // Overwrites the pages before it frees them.
  deinit { sodium_free(start) }

  /// The pointer is valid during the call only.
  public func withBytes<Result>(_ use: (UnsafePointer<UInt8>) -> Result) -> Result {
    withExtendedLifetime(self) { use(UnsafePointer(start.assumingMemoryBound(to: UInt8.self))) }
  }

  /// Another secret derived from this one, one-way.
  public func derived(_ label: String) -> LockedSecret {
    var bytes = HMACSHA256.code(of: Array(label.utf8), key: self)
    return LockedSecret(taking: &bytes)
  }
}

extension [UInt8] {
  /// Overwrites the bytes, unless another array shares them.
  public mutating func wipe() {
    withUnsafeMutableBytes { if let start = $0.baseAddress { sodium_memzero(start, $0.count) } }
    self = []
  }
}

/// Overwrites memory that held a secret, in a way that the compiler does not leave out.
public func wipe(_ memory: UnsafeMutableRawBufferPointer) {
  if let start = memory.baseAddress { sodium_memzero(start, memory.count) }
}

extension LockedSecret: CustomStringConvertible, CustomReflectable {
  public var description: String { "\(count) secret bytes" }
  public var customMirror: Mirror { Mirror(self, children: ["count": count]) }
}

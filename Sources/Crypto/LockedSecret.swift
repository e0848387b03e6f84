import CSodium

/// A few secret bytes that stay where they are: in pages of their own, which the kernel is asked never to swap and never to
/// put into an image of a crash, and which are overwritten when the last user is gone. A system that locks no memory for this
/// user (RLIMIT_MEMLOCK) still gets the rest.
///
/// It has no description but its size, and is not `Codable`: it cannot slip into a journal.
public final class LockedSecret: Sendable {
  // Written once, before any other thread can see the object.
  private nonisolated(unsafe) let start: UnsafeMutableRawPointer
  public let count: Int

  /// Takes the bytes over: the array is overwritten, and empty afterwards.
  public init(taking bytes: inout [UInt8]) {
    // Idempotent; without it libsodium does not know how large a page is.
    _ = sodium_init()
    count = bytes.count
    guard let start = sodium_malloc(bytes.count) else { fatalError("there is no memory for a secret") }
    self.start = start
    start.copyMemory(from: bytes, byteCount: bytes.count)
    sodium_mprotect_readonly(start)
    bytes.wipe()
  }

  // Overwrites what is there before it gives the pages back.
  deinit { sodium_free(start) }

  /// The pointer is good as long as the call.
  public func withBytes<Result>(_ use: (UnsafePointer<UInt8>) -> Result) -> Result {
    withExtendedLifetime(self) { use(UnsafePointer(start.assumingMemoryBound(to: UInt8.self))) }
  }

  /// Another secret that follows from this one, and does not lead back to it.
  public func derived(_ label: String) -> LockedSecret {
    var bytes = HMACSHA256.code(of: Array(label.utf8), key: self)
    return LockedSecret(taking: &bytes)
  }
}

extension [UInt8] {
  /// Overwrites what was secret, where no other array shares it.
  public mutating func wipe() {
    withUnsafeMutableBytes { if let start = $0.baseAddress { sodium_memzero(start, $0.count) } }
    self = []
  }
}

extension LockedSecret: CustomStringConvertible, CustomReflectable {
  public var description: String { "\(count) secret bytes" }
  public var customMirror: Mirror { Mirror(self, children: ["count": count]) }
}

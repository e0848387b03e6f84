import Ground
import Lightning

/// How often the LSP stores the wallet's backup. BOLT 1: it "MAY delay storage to ratelimit peer to no more than one
/// update per minute".
///
/// The first backup is stored at once and opens a window; of those that come in the window, the last is stored at its
/// end. Until then the LSP has it in memory only, and returns an older one to a wallet that reconnects.
struct StoragePace: Hashable, Sendable {
  struct Waiting: Hashable {
    fileprivate(set) var connection: UInt64
    fileprivate(set) var blob: Blob
  }

  /// Zero: each backup is stored at once.
  private let window: TimeSpan
  private var windowEnds: Instant?
  private(set) var waiting: Waiting?

  init(window: TimeSpan) { self.window = window }

  /// False: the backup waits, in place of one that waited before.
  mutating func storesAtOnce(_ blob: Blob, of connection: UInt64, at now: Instant) -> Bool {
    guard window > .zero else { return true }
    if let windowEnds, now < windowEnds {
      waiting = Waiting(connection: connection, blob: blob)
      return false
    }
    waiting = nil
    windowEnds = now + window
    return true
  }

  var storesAt: Instant? { waiting == nil ? nil : windowEnds }

  /// Opens the next window.
  mutating func takeDue(at now: Instant) -> Waiting? {
    guard let due = waiting, let windowEnds, windowEnds <= now else { return nil }
    waiting = nil
    self.windowEnds = now + window
    return due
  }

  mutating func forgetLongAgo(at now: Instant) {
    if let windowEnds, windowEnds <= now, waiting == nil { self.windowEnds = nil }
  }
}

extension StoragePace: Shiftable {
  mutating func shift(by span: TimeSpan) { windowEnds.shift(by: span) }
}

import Ground
import SharedContainer

/// What a soak did to the extension's processes on one phone.
struct PushStrikes: Sendable {
  /// A process stopped while it worked, and the pushes that came since the push before.
  struct Freeze: Hashable, Sendable {
    var pid: Int32
    var pushes: Set<UInt64>
  }

  var freezes: [Freeze] = []
  /// Killed while they worked.
  var killed = 0
  /// Every process that was sent a signal to end it, also between the pushes.
  var ended: Set<Int32> = []
  /// The pushes whose extension was frozen or killed.
  var pushes: Set<UInt64> = []

  func isFrozen(_ pid: Int32) -> Bool { freezes.contains { $0.pid == pid } }
}

/// A claim made because the holder went silent.
struct SilentClaim: Hashable, Sendable {
  var epoch: Epoch
  var holder: Int32
  /// From the start of the claimant's process to the claim; nil if the phone did not start the process.
  var waited: TimeSpan?
}

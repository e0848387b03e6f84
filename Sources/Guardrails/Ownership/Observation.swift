// Guardrails: the state machines of ownership. Which process may claim the node, when, and what each does until then.
// Pure: no clock, no randomness, no I/O. The daemons and the simulation run the same code.

import Ground
import Heartbeat

/// What a process sees when it looks at the container before it decides.
public struct Observation: Hashable, Codable, Sendable {
  /// The row of the highest epoch; nil in a container that was never claimed.
  public var row: ClaimRow?
  /// Whether any process holds the role lock of the row's holder.
  public var holderLockIsBusy: Bool
  /// The last beat in the slot of the holder's role, of whatever epoch.
  public var beat: Beat?
  /// Whether a live app wants the node (it holds its intent lock).
  public var appWantsNode: Bool
  /// The observer's boot and boot-time clock, used by the age rule only.
  public var boot: BootID
  public var bootClock: Instant

  public init(
    row: ClaimRow?, holderLockIsBusy: Bool, beat: Beat?, appWantsNode: Bool, boot: BootID, bootClock: Instant
  ) {
    self.row = row
    self.holderLockIsBusy = holderLockIsBusy
    self.beat = beat
    self.appWantsNode = appWantsNode
    self.boot = boot
    self.bootClock = bootClock
  }
}

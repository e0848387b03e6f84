// Guardrails: the state machines of ownership. Who may claim the node, when, and what each side does until then.
// Pure: no clock, no randomness, no I/O. The real daemons and the simulation run the same values.

import Ground
import Heartbeat

/// What a process sees when it looks at the container before it decides.
public struct Observation: Hashable, Codable, Sendable {
  /// The row of the highest epoch; nil in a container that was never claimed.
  public var row: ClaimRow?
  /// Whether the role lock of the row's holder is held by somebody.
  public var holderLockIsBusy: Bool
  /// The beat in the slot of the row's holder, whatever its epoch.
  public var beat: Beat?
  /// Whether a live app wants the node (it holds its intent lock).
  public var appWantsNode: Bool
  /// The observer's boot and boot-time clock, which only the age rule reads.
  public var boot: BootID
  public var bootClock: Instant

  public init(
    row: ClaimRow?, holderLockIsBusy: Bool, beat: Beat?, appWantsNode: Bool, boot: BootID,
    bootClock: Instant
  ) {
    self.row = row
    self.holderLockIsBusy = holderLockIsBusy
    self.beat = beat
    self.appWantsNode = appWantsNode
    self.boot = boot
    self.bootClock = bootClock
  }
}

// Guardrails: the state machines of ownership. Who may claim the node, when, and what each side does until then.
// Pure: no clock, no randomness, no I/O. The real daemons and the simulation run the same values.

import CoreShape
import Heartbeat

/// The number that decides who owns the node. It grows by one at every claim.
public typealias Epoch = UInt64

/// One container; a copy that was restored elsewhere keeps the id of its original.
public struct ContainerID: Hashable, Codable, Sendable {
  public var high: UInt64
  public var low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

/// The row that says who owns the node. It is history too: rows of earlier epochs stay.
public struct ClaimRow: Hashable, Codable, Sendable {
  public var epoch: Epoch
  public var role: Role
  public var process: ProcessIdentity
  /// Random per claim: two owners that came to share a number (a restored database) differ here.
  public var incarnation: UInt64
  public var container: ContainerID

  public init(
    epoch: Epoch, role: Role, process: ProcessIdentity, incarnation: UInt64, container: ContainerID
  ) {
    self.epoch = epoch
    self.role = role
    self.process = process
    self.incarnation = incarnation
    self.container = container
  }
}

/// What a claim gives, and what every fenced write is checked against.
public struct Claim: Hashable, Codable, Sendable {
  public var epoch: Epoch
  public var incarnation: UInt64
  public var container: ContainerID
  /// Whose place it takes at the peer, if the person has said so.
  public var replaces: ReplacedClaim?

  public init(
    epoch: Epoch, incarnation: UInt64, container: ContainerID, replaces: ReplacedClaim? = nil
  ) {
    self.epoch = epoch
    self.incarnation = incarnation
    self.container = container
    self.replaces = replaces
  }

  public func owns(_ row: ClaimRow?) -> Bool {
    row?.epoch == epoch && row?.incarnation == incarnation
  }
}

/// What a process sees when it looks at the container before it decides.
public struct Observation: Hashable, Codable, Sendable {
  /// The row of the highest epoch; nil in a container that was never claimed.
  public var row: ClaimRow?
  /// Whether the role lock of the row's holder is held by somebody.
  public var holderLockIsBusy: Bool
  /// The beat in the slot of the row's holder, whatever its epoch.
  public var beat: Beat?
  /// Whether a live app wants the node (it holds its wish lock).
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

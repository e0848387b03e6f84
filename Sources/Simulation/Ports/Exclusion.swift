import Ground
import Guardrails
import Wallet

/// The port for another way to keep the two processes apart than the shipped guards and their claims. In such a world
/// the container has no claim row, and the peer knows no epochs. Node, phone, peer and user stay the same.
package protocol Exclusion: Hashable, Sendable, Shiftable {
  func guardrail(of role: Role) -> any ExclusionGuard
  /// False for orders with the same meaning as with the shipped guards.
  mutating func carryOut(_ order: ContainerOrder, _ life: inout Life, in world: inout World) -> Bool
  /// The process sends `channel_reestablish`.
  mutating func noteDriving(_ life: inout Life)
  mutating func processEnded(_ role: Role)
  /// Called after each move: the first violation.
  mutating func check(_ world: World) -> Violation?
  /// Whether the invariant is checked.
  func promises(_ invariant: Invariant) -> Bool
  /// Why no process has received a payment while the user stayed away, as the end of a sentence.
  func whyNotReceived(in world: World) -> String
  /// The peer returns the wallet's backup.
  var hasBackups: Bool { get }
  /// The moves for an agenda's action; nil if they are the same as with the shipped guards.
  func moves(for action: Agenda.Action) -> [Move]?
  /// When the present sign of life, if it is not renewed, will be too old: nothing else may happen until then.
  func nextExpiry(in world: World) -> Instant?
  /// No rule distinguishes older stamps, also after a few steps back of the clock.
  var longestMemory: TimeSpan { get }
  mutating func forget(before longStale: Instant)
}

/// The guard of one process. Before its node starts it orders `readRow`, which is answered by the state that the node
/// starts from.
package protocol ExclusionGuard: Hashable, Sendable, Shiftable {
  var deadline: Instant? { get }
  /// The app has a background task.
  var hasTask: Bool { get }

  mutating func handle(_ event: GuardEvent, at now: Instant) -> [GuardDirective]
  mutating func noteThaw()
}

extension Exclusion {
  fileprivate func equals(_ other: any Exclusion) -> Bool { other as? Self == self }
}

extension ExclusionGuard {
  fileprivate func equals(_ other: any ExclusionGuard) -> Bool { other as? Self == self }
}

package struct AnyExclusion: Hashable, Sendable {
  package var value: any Exclusion

  package init(_ value: any Exclusion) { self.value = value }

  package static func == (left: Self, right: Self) -> Bool { left.value.equals(right.value) }
  package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

public struct AnyExclusionGuard: Hashable, Sendable {
  var value: any ExclusionGuard

  public static func == (left: Self, right: Self) -> Bool { left.value.equals(right.value) }
  public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension World {
  /// False if the order has the same meaning with the shipped guards.
  mutating func carryOutInstead(_ order: ContainerOrder, _ life: inout Life) -> Bool {
    guard var other = exclusion else { return false }
    exclusion = nil
    defer { exclusion = other }
    return other.value.carryOut(order, &life, in: &self)
  }

  mutating func checkExclusion() {
    guard violation == nil, var other = exclusion else { return }
    let found = other.value.check(self)
    exclusion = other
    if let found { report(found.invariant, found.sentence) }
  }

  /// The process hears that something was written, and looks at what is there by then.
  package mutating func announceWrite(to role: Role) {
    guard lives[role] != nil else { return }
    let news = Observation(
      row: nil, holderLockIsBusy: false, beat: nil, appWantsNode: false, boot: BootID(high: 0, low: 0),
      bootClock: .zero)
    presenceQueue.append(QueuedPresence(to: role, event: .observed(news)))
  }
}

import CoreShape
import Guardrails
import Heartbeat

// Numbers that only tell one thing from another.
extension World {
  mutating func newPid(_ role: Role) -> Int32 {
    guard !settings.reusesNumbers else { return role == .app ? 1 : 2 }
    defer { nextPid += 1 }
    return nextPid
  }

  mutating func newWire() -> UInt64 {
    guard settings.reusesNumbers else {
      defer { nextWire += 1 }
      return nextWire
    }
    return (1...).first { number in !wires.contains { $0.id == number } } ?? nextWire
  }

  /// Two claims of one number can only be told apart by this, and only a restored database leads to such.
  mutating func newIncarnation() -> UInt64 {
    guard settings.reusesNumbers else {
      incarnations &+= 1
      return incarnations
    }
    return (container.value.row?.epoch ?? 0) + 1 + restored << 32
  }

  /// What a beat and a look carry of the clock: only the age rule asks for it.
  var stamp: Instant {
    settings.guardConfiguration.takeover == .waitStale || !settings.reusesNumbers ? now : .zero
  }
}

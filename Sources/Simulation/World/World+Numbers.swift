import Ground
import Guardrails

// Numbers that only tell one thing from another.
extension World {
  mutating func newPid(_ role: Role) -> Int32 {
    guard !settings.reusesNumbers else { return role == .app ? 1 : 2 }
    defer { nextPid += 1 }
    return nextPid
  }

  /// Of a process that is gone it matters only that it is: its number is given to another one.
  mutating func forgetNumber(of process: ProcessIdentity) {
    guard settings.reusesNumbers else { return }
    let nobody = ProcessIdentity(pid: 9, startTime: 9, boot: BootID(high: 0, low: 0))
    if container.value.row?.process == process { container.value.row?.process = nobody }
    for role in [Role.app, .extension] where container.value.beats[role]?.process == process {
      container.value.beats[role]?.process = nobody
    }
    for index in wires.indices where wires[index].owner == process.pid { wires[index].owner = nobody.pid }
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
    if others != nil { return wallNow }
    return asksForAge || !settings.reusesNumbers ? now : .zero
  }

  var wallNow: Instant { now + wallOffset }

  /// Whether somebody compares stamps with a clock.
  var asksForAge: Bool {
    settings.guardConfiguration.takeover == .waitStale || others != nil
  }
}

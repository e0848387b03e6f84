import Platform
import Foundation
import TestKit
import Heartbeat
import WalletProcess

/// Real containers in their own directory, read and written as the wallet's processes do.
final class ScratchContainer {
  let clock = Clock()
  private let directory = TemporaryDirectory()
  private var copies = 0

  func path(_ name: String) -> String { directory(name) }

  /// A copy of the database without its log. Another process copies it: closing the file in this process would drop
  /// SQLite's locks on it.
  func databaseAlone(of container: SharedContainer) throws -> Connection {
    let copy = path("copy-\(copies)")
    copies += 1
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/cp")
    process.arguments = [container.layout.database, copy]
    try process.start()
    process.waitUntilExit()
    return try Connection(path: copy, access: .readWrite)
  }

  var now: BootMoment { BootMoment(boot: clock.boot, clock: clock.bootClock) }

  func open(
    _ schema: [String] = WalletSchema.steps, named name: String = "c", role: Role = .app
  ) throws -> SharedContainer {
    try SharedContainer.open(path(name), role: role, nodeSchema: schema)
  }

  func claim(_ container: SharedContainer, seen: Epoch = 0) throws -> (Claim, NodeState) {
    let claimant = Claimant(
      process: ProcessTable.current(boot: clock.boot), incarnation: try SharedContainer.newIncarnation(),
      reason: "test", bootClock: clock.bootClock, wallClockNanoseconds: 0)
    guard
      case .claimed(let claim, let state) = container.claim(
        seen: seen, by: claimant, reading: { try WalletStore.readState($0, at: now) })
    else { throw SystemError("claim", code: EBUSY) }
    return (claim, state)
  }

  func write(
    _ change: NodeChange, at moment: BootMoment? = nil, _ claim: Claim, _ container: SharedContainer
  ) throws {
    try write(claim, container) { [now] writer in
      try WalletStore.apply(
        change, epoch: claim.epoch, wallClockNanoseconds: 0, at: moment ?? now, to: writer)
    }
  }

  func write(_ claim: Claim, _ container: SharedContainer, _ body: (NodeWriter) throws -> Void) throws {
    let result = container.fencedWrite(under: claim, what: "test", atMonotonic: clock.now, body)
    guard case .written = result else { throw SystemError("write", code: EIO) }
  }

  func read<Value>(_ container: SharedContainer, _ body: (NodeReader) throws -> Value) throws -> Value {
    try container.read { try body($1) }
  }

  func state(_ container: SharedContainer, at moment: BootMoment? = nil) throws -> NodeState {
    try read(container) { try WalletStore.readState($0, at: moment ?? now) }
  }
}

import Ground
import Foundation
import Glibc
import Guardrails
import Heartbeat
import SharedContainer

/// The real directory, with both roles open in this process: `flock` and SQLite separate them by descriptor and
/// connection, like two processes.
final class RealContainer: ContainerUnderTest {
  static let schema = ["CREATE TABLE notes (id INTEGER PRIMARY KEY, words TEXT NOT NULL)"]

  private let directory: String
  private var open: [Role: SharedContainer] = [:]
  private var claims: [Role: Claim] = [:]

  init() throws {
    var template = Array("\(NSTemporaryDirectory())/baton-conformance-XXXXXX".utf8CString)
    directory = mkdtemp(&template).map { String(cString: $0) } ?? "/tmp"
    for role in Role.allCases { open[role] = try start(role) }
  }

  deinit {
    open = [:]
    try? FileManager.default.removeItem(atPath: directory)
  }

  private func start(_ role: Role) throws -> SharedContainer {
    try SharedContainer.open("\(directory)/AppGroup", role: role, nodeSchema: Self.schema)
  }

  private func container(_ role: Role) throws -> SharedContainer {
    guard let container = open[role] else { throw CocoaError(.fileNoSuchFile) }
    return container
  }

  func take(_ step: ContainerStep) throws -> ContainerAnswer {
    switch step {
    case .claim(let role, let seen, let incarnation):
      return answer(try container(role).claim(seen: seen, by: claimant(incarnation)) { _ in }, role)
    case .raise(let role, let above, let incarnation):
      guard let claim = claims[role] else { return .done }
      return answer(
        try container(role).raiseEpoch(under: claim, above: above, by: claimant(incarnation)) { _ in }, role)
    case .write(let role): return try write(role)
    case .beat(let role, let counter, let phase):
      _ = try container(role).write(.sample(role, claims[role]?.epoch ?? 0, counter, phase))
      return .done
    case .keepLock(let role):
      _ = try container(role).keepRoleLock()
      return .done
    case .dropLock(let role):
      try container(role).releaseRoleLock()
      return .done
    case .intent(let wanted):
      _ = try container(.app).setIntent(wanted)
      return .done
    case .look(let role):
      let opened = try container(role)
      guard let observation = try? opened.look(boot: .sample, bootClock: .sample) else { return .refused }
      return ContainerAnswer(observation)
    case .restart(let role):
      open[role] = nil
      claims[role] = nil
      open[role] = try start(role)
      return .done
    case .replaceLock(let role):
      let path = try container(role).layout.roleLock(of: role)
      rename(path, path + ".away")
      close(Glibc.open(path, O_CREAT | O_WRONLY, 0o600))
      unlink(path + ".away")
      return .done
    }
  }

  private func claimant(_ incarnation: UInt64) -> Claimant {
    Claimant(
      process: .sample, incarnation: incarnation, reason: "a test", bootClock: .sample,
      wallClockNanoseconds: 0)
  }

  private func answer(_ result: ClaimResult<Void>, _ role: Role) -> ContainerAnswer {
    switch result {
    case .claimed(let claim, _):
      claims[role] = claim
      return .claimed(epoch: claim.epoch, incarnation: claim.incarnation)
    case .superseded: return .superseded
    case .ownLockBusy: return .ownLockBusy
    case .failed(.blocked): return .blocked
    case .failed: return .refused
    }
  }

  private func write(_ role: Role) throws -> ContainerAnswer {
    guard let claim = claims[role] else { return .done }
    let result = try container(role).fencedWrite(under: claim, what: "a note", atMonotonic: .sample) {
      try $0.execute("INSERT INTO notes (words) VALUES ('x')")
    }
    switch result {
    case .written: return .written
    case .fenced: return .fenced
    case .failed(.blocked): return .blocked
    case .failed: return .refused
    }
  }
}

import Ground
import DaemonRuntime
import Glibc
import Guardrails
import Heartbeat
import SharedContainer
import WalletProcess

struct Bystander {
  let role: Role
  let clock = Clock()
  let container: SharedContainer

  init(role: Role, directory: String) {
    self.role = role
    do throws(ContainerError) {
      container = try SharedContainer.open(directory, role: role, nodeSchema: WalletSchema.steps)
    } catch { exitWithSentence(.cannotCreate, "\(error)") }
    BusErrorEnd.install(database: container.layout.database)
  }

  /// Claims, beats once, and stops inside a fenced write.
  func stopInTransaction() {
    let identity = ProcessTable.current(boot: clock.boot)
    let row: ClaimRow?
    do { row = try container.readRow() } catch { exitWithSentence(.bugOfOurs, "no row") }
    let claimant = Claimant(
      process: identity, incarnation: 42, reason: "a test", bootClock: clock.bootClock,
      wallClockNanoseconds: clock.wallNanoseconds)
    guard
      case .claimed(let claim, _) = container.claim(seen: row?.epoch ?? 0, by: claimant, reading: { _ in () })
    else { exitWithSentence(.bugOfOurs, "no claim") }
    _ = container.write(
      Beat(
        role: role, epoch: claim.epoch, phase: .established, counter: 1, process: identity,
        bootClock: clock.bootClock, wallClockNanoseconds: clock.wallNanoseconds))
    _ = container.fencedWrite(under: claim, what: "never", atMonotonic: clock.now) { _ in
      printLine("ready")
      kill(getpid(), SIGSTOP)
    }
  }
}

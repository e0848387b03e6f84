import Ground
import Guardrails
import Heartbeat
import Platform
import SharedContainer

/// The clocks recorded in claims, looks and beats. The machine's clock is separate.
package struct ContainerClock {
  package var bootClock: () -> Instant
  package var wallNanoseconds: () -> Int64

  package init(bootClock: @escaping () -> Instant, wallNanoseconds: @escaping () -> Int64) {
    self.bootClock = bootClock
    self.wallNanoseconds = wallNanoseconds
  }

  package static var kernel: ContainerClock {
    ContainerClock(bootClock: { Kernel.bootClock }, wallNanoseconds: { Kernel.wallNanoseconds })
  }
}

/// The container's answer to an order.
package struct ContainerAnswer<State> {
  package var event: GuardEvent?
  /// The node's state as read in the claim: earlier state is void.
  package var state: State?
  /// The error behind the event's sentence; nil if another process is inside a transaction.
  package var failure: ContainerError?
}

/// Carries out a guard's orders to the container on the real container. It decides nothing and watches no process.
package final class GuardContainer<State> {
  package let shared: SharedContainer
  private let process: ProcessIdentity
  private let clock: ContainerClock
  private let reading: (NodeReader) throws -> State
  /// For the log: nothing depends on it.
  private let note: (String) -> Void
  /// The last result, as the lock is taken again with every beat and only changes are noted.
  private var lastLockTry = LockTry.taken

  /// The row's process, unless it is this one: its death is a reason to look. Its lock says what its death means.
  package private(set) var holderToWatch: ProcessIdentity?

  /// `process` is fixed for the whole run: it is in every beat.
  package init(
    _ shared: SharedContainer, process: ProcessIdentity, clock: ContainerClock = .kernel,
    note: @escaping (String) -> Void, reading: @escaping (NodeReader) throws -> State
  ) {
    self.shared = shared
    self.process = process
    self.clock = clock
    self.note = note
    self.reading = reading
  }

  package func carryOut(_ order: GuardDirective.Container) -> ContainerAnswer<State> {
    switch order {
    case .raiseIntent: setIntent(true)
    case .withdrawIntent: setIntent(false)
    case .look: return look()
    case .claim(let seen, let reason):
      return claim(reason) { shared.claim(seen: seen, by: $0, reading: reading) }
    case .raiseEpoch(let claim, let known, let replaced):
      return self.claim(replaced == nil ? .raised : .movedHere) {
        shared.raiseEpoch(under: claim, above: known, by: $0, reading: reading)
      }
    case .readRow: return readRow()
    case .beat(let epoch, let phase, let counter): beat(epoch, phase, counter)
    case .dropLock: shared.releaseRoleLock()
    case .settle: shared.settle()
    }
    return ContainerAnswer()
  }

  private func setIntent(_ wantsNode: Bool) {
    switch shared.setIntent(wantsNode) {
    case .taken: break
    case .busy:
      note("another app process holds the intent lock; this process's intent is only sent as a message")
    case .damaged(let error):
      note("the intent lock failed, so the intent is only sent as a message: \(error)")
    }
  }

  private func look() -> ContainerAnswer<State> {
    do throws(ContainerError) {
      let observation = try shared.look(boot: process.boot, bootClock: clock.bootClock())
      let holder = observation.row?.process
      holderToWatch = holder?.pid == process.pid ? nil : holder
      return answered(.observed(observation))
    } catch { return failed(error) { .lookFailed($0) } }
  }

  private func claim(
    _ reason: ClaimReason, _ body: (Claimant) -> ClaimResult<State>
  ) -> ContainerAnswer<State> {
    let incarnation: UInt64
    do { incarnation = try SharedContainer.newIncarnation() } catch {
      return failed(error) { .claimFailed($0) }
    }
    let claimant = Claimant(
      process: process, incarnation: incarnation, reason: reason.rawValue, bootClock: clock.bootClock(),
      wallClockNanoseconds: clock.wallNanoseconds())
    switch body(claimant) {
    case .claimed(let claim, let state):
      holderToWatch = nil
      return ContainerAnswer(event: .claimed(claim), state: state)
    case .superseded: return answered(.claimSuperseded)
    case .ownLockBusy: return answered(.ownLockWasBusy)
    case .failed(let error): return failed(error) { .claimFailed($0) }
    }
  }

  private func readRow() -> ContainerAnswer<State> {
    do throws(ContainerError) {
      return answered(.rowRead(try shared.readRow(), appWantsNode: shared.appWantsNode))
    } catch { return failed(error) { .rowReadFailed($0) } }
  }

  /// Reads the wallet's received payments for a guard.
  package func readReceived(
    push: UInt64, _ reading: (NodeReader) throws -> [ReceivedPayment]
  ) -> ContainerAnswer<State> {
    do throws(ContainerError) {
      return answered(.receivedFound(try shared.read { try reading($1) }, push: push))
    } catch { return failed(error) { .receivedNotRead($0, push: push) } }
  }

  private func answered(_ event: GuardEvent) -> ContainerAnswer<State> { ContainerAnswer(event: event) }

  private func failed(_ error: ContainerError, _ event: (Trouble) -> GuardEvent) -> ContainerAnswer<State> {
    ContainerAnswer(event: event(Trouble(error)), failure: error.isBlocked ? nil : error)
  }

  private func beat(_ epoch: Epoch, _ phase: Phase, _ counter: UInt64) {
    if phase.keepsLock { keepRoleLock() }
    let beat = Beat(
      role: shared.role, epoch: epoch, phase: phase, counter: counter, process: process,
      bootClock: clock.bootClock(), wallClockNanoseconds: clock.wallNanoseconds())
    if case .failed(let error) = shared.write(beat) { note("no beat was written: \(error)") }
  }

  private func keepRoleLock() {
    let lockTry = shared.keepRoleLock()
    defer { lastLockTry = lockTry }
    guard lockTry != lastLockTry else { return }
    switch lockTry {
    case .taken: note("the role lock is held again")
    case .busy: note("another process holds the role lock; this process may look dead to others")
    case .damaged(let error):
      note("the role lock failed, so this process may look dead to others: \(error)")
    }
  }
}

extension Trouble {
  package init(_ error: ContainerError) {
    switch error {
    case .blocked(_, let holder): self = .blocked(pid: holder?.pid, isStopped: holder?.isStopped ?? false)
    default: self = error.isLossOfTheContainer ? .lost("\(error)") : .failed("\(error)")
    }
  }
}

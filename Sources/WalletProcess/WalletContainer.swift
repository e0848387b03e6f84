import Coordinator
import Crypto
import DaemonRuntime
import Glibc
import Ground
import Guardrails
import SharedContainer
import Wallet

/// The port to the container: carries out each order on the App Group directory, and reports the result.
final class WalletContainer {
  let container: SharedContainer
  let secrets: WalletSecrets
  let clock: Clock
  private let loop: EventLoop
  let journal: Journal
  /// Carries out the guard's orders.
  private var guarded: GuardContainer<NodeState>!
  private var watchedHolder: (identity: ProcessIdentity, pidfd: Int32)?
  /// The tweak for each payment hash whose preimage the wallet may reveal: of the state's invoices and of those made
  /// since it was read.
  private var tweaks: [Bytes32: Bytes32] = [:]
  /// Why the container is lost.
  var loss: ContainerError?
  /// nil unless the app completes what its extension announces.
  let completion: (any PaymentCompletion)?

  /// As last noted.
  var unreadRecords: Int64 = 0

  var onEvent: ((WalletEvent) -> Void)?

  init(
    _ container: SharedContainer, secrets: WalletSecrets, loop: EventLoop, clock: Clock, journal: Journal,
    completion: (any PaymentCompletion)? = nil
  ) {
    self.completion = completion
    self.container = container
    self.secrets = secrets
    self.loop = loop
    self.clock = clock
    self.journal = journal
    guarded = GuardContainer(
      container, process: ProcessTable.current(boot: clock.boot),
      clock: ContainerClock(
        bootClock: { clock.bootClock }, wallNanoseconds: { clock.wallNanoseconds }),
      note: { journal.note($0) },
      reading: { [unowned self] in try readState($0) })
  }

  func carryOut(_ order: ContainerOrder) {
    switch order {
    case .guardrail(let order):
      let answer = guarded.carryOut(order)
      watch(guarded.holderToWatch)
      report(answer)
    case .markReceived(let push): markReceived(push)
    case .readReceived(let payments, let push):
      report(
        guarded.readReceived(push: push) { reader in
          switch payments {
          case .of(let hash): try ReceivedPaymentTable.readSettled(paymentHash: hash, reader)
          case .after(let number): try ReceivedPaymentTable.readSettled(after: number, reader)
          }
        })
    case .checkRow: checkRow()
    case .checkAfterInit: checkAfterInit()
    case .write(let change, let claim): write(change, under: claim)
    case .readPast(let hash): readPast(hash)
    // The extension of a wallet that only notifies is a program of its own.
    case .storeIncoming(_, let push):
      say(.guardrail(.incomingNotStored(.failed("this process records no payments"), push: push)))
    case .readIncoming(let asked): readIncoming(asked)
    case .removeIncoming(let records): removeIncoming(records)
    case .lookAtWallet(let run): say(.background(.stepDone(run: run, lookAtWallet())))
    }
  }

  func releaseMemory() -> UInt64 { container.releaseMemory() }

  func say(_ event: WalletEvent) { onEvent?(event) }
  func say(_ event: GuardEvent) { onEvent?(.guardrail(event)) }
  func say(_ event: NodeEvent) { onEvent?(.node(event)) }

  func storeFailed(_ error: ContainerError) {
    switch Trouble(error) {
    case .blocked: say(.storeBlocked)
    case .failed(let sentence): say(.storeFailed(sentence))
    case .lost(let sentence):
      loss = error
      say(.storeLost(sentence))
    }
  }

  private func report(_ answer: ContainerAnswer<NodeState>) {
    if let failure = answer.failure, failure.isLossOfTheContainer { loss = failure }
    switch (answer.event, answer.state) {
    case (.claimed(let claim)?, let state?):
      learnTweaks(state)
      say(.claimed(claim, state))
    case (let event?, _): say(event)
    case (nil, _): break
    }
  }

  /// A pidfd reports the holder's death within microseconds; its lock says what that means.
  private func watch(_ holder: ProcessIdentity?) {
    if watchedHolder?.identity == holder { return }
    forgetHolder()
    guard let holder else { return }
    do throws(SystemError) {
      guard let pidfd = try ProcessTable.openPidfd(holder, boot: clock.boot) else { return }
      watchedHolder = (holder, pidfd)
      try loop.watchProcess(pidfd) { [unowned self] in
        forgetHolder()
        say(.partnerEnded)
      }
    } catch { journal.note("the holder's end will be noticed only by an ownership check: \(error)") }
  }

  private func forgetHolder() {
    guard let pidfd = watchedHolder?.pidfd else { return }
    loop.unwatch(pidfd)
    close(pidfd)
    watchedHolder = nil
  }

  /// A mark that could not be set is ordered again when it is needed.
  private func markReceived(_ push: UInt64) {
    do throws(ContainerError) {
      say(.receivedMarked(push: push, newest: try container.read { try ReceivedPaymentTable.newest($1) }))
    } catch {
      if error.isBlocked { return }
      guard error.isLossOfTheContainer else {
        return journal.note("the newest payment before push \(push) cannot be read: \(error)")
      }
      loss = error
      say(.containerLost("\(error)"))
    }
  }

  // MARK: Derivable preimages

  func learnTweaks(_ state: NodeState) {
    tweaks = [:]
    for invoice in state.invoices + state.accepted { tweaks[invoice.paymentHash] = invoice.tweak }
  }

  func learnTweak(of invoice: Invoice) { tweaks[invoice.paymentHash] = invoice.tweak }

  func tweak(of hash: Bytes32) -> Bytes32? { tweaks[hash] }
}

// The records of announced payments, and what the node's own tables say of these payments.
extension WalletContainer {
  func readIncoming(_ asked: [Bytes32]) {
    guard let completion else { return }
    do throws(IncomingStoreError) {
      let (records, unread) = try completion.records()
      if unread != unreadRecords, unread > 0 {
        journal.note(
          "the store of announced payments has \(unread) more rows than an extension leaves: they are not read"
        )
      }
      unreadRecords = unread
      let hashes = records.map(\.paymentHash)
      let all = hashes + asked.filter { !hashes.contains($0) }
      guard !all.isEmpty else { return say(.recordsRead(records, received: [], atWallSeconds: wallSeconds)) }
      do throws(ContainerError) {
        let received = try container.read { _, reader in
          try all.flatMap { try ReceivedPaymentTable.readSettled(paymentHash: $0, reader) }
        }
        say(.recordsRead(records, received: received, atWallSeconds: wallSeconds))
      } catch {
        if error.isLossOfTheContainer { loss = error }
        say(.recordsNotRead(Trouble(error)))
      }
    } catch { say(.recordsNotRead(error.trouble)) }
  }

  func removeIncoming(_ records: [IncomingRecord]) {
    guard let completion else { return }
    do throws(IncomingStoreError) {
      let changed = try completion.remove(records)
      say(.removed(records.map(\.paymentHash).filter { !changed.contains($0) }, changed: changed))
    } catch { say(.notRemoved(error.trouble)) }
  }

  private var wallSeconds: Int64 { clock.wallNanoseconds / 1_000_000_000 }

  private func say(_ event: IncomingEvent) { onEvent?(.incoming(event)) }
}

// Reads and writes for the node, requests and background tasks.
extension WalletContainer {
  private var bootMoment: BootMoment { BootMoment(boot: clock.boot, clock: clock.bootClock) }

  /// The state that the claim and the check after `init` read.
  func readState(_ reader: NodeReader) throws -> NodeState {
    var state = try WalletStore.readState(reader, at: bootMoment)
    try secrets.check(state)
    secrets.complete(&state.invoices)
    secrets.complete(&state.accepted)
    return state
  }

  func checkRow() {
    do throws(ContainerError) { say(.rowRead(try container.readRow())) } catch { storeFailed(error) }
  }

  func checkAfterInit() {
    do throws(ContainerError) {
      let (row, state) = try container.read { row, reader in (row, try readState(reader)) }
      learnTweaks(state)
      say(.checkedAfterInit(row, state))
    } catch { storeFailed(error) }
  }

  func write(_ change: NodeChange, under claim: Claim) {
    let result = container.fencedWrite(
      under: claim, what: WriteCode.of(change), atMonotonic: clock.now
    ) { writer in
      try WalletStore.apply(
        change, epoch: claim.epoch, wallClockNanoseconds: clock.wallNanoseconds, at: bootMoment, to: writer)
    }
    switch result {
    case .written:
      if let invoice = change.newInvoice { learnTweak(of: invoice) }
      say(.written)
    case .fenced: say(.fenced)
    case .failed(let error): storeFailed(error)
    }
  }

  /// Answered at once: the wallet gets the answer before the results of later orders.
  func readPast(_ hash: Bytes32) {
    do throws(ContainerError) {
      say(.requests(.pastRead(hash, try container.read { try OutgoingPaymentTable.past(hash, $1) })))
    } catch {
      let inUse = "the wallet's database is in use and no payment was sent; try again"
      say(.requests(.pastNotRead(hash, error.isBlocked ? inUse : "\(error)")))
    }
  }

  /// One short read, like the guard's: who holds the node, and whether the channel can be read.
  func lookAtWallet() -> BackgroundStep {
    do throws(ContainerError) {
      return try container.read { row, reader in
        let state = try WalletStore.readState(reader, at: bootMoment)
        let owner = row.map { "epoch \($0.epoch)" } ?? "no process has owned the node yet"
        return .done("\(owner), \(state.channel == nil ? "no channel" : "the channel can be read")")
      }
    } catch .blocked(_, let holder) {
      return .busy(
        "the container is blocked: \(holder.map { "\($0)" } ?? "an unknown process is inside a transaction")")
    } catch { return .failed("\(error)") }
  }
}

/// What an app has besides its node if its extension has none: the extension's records, and the key to the pushes that
/// it announces them from. An extension that has a node links none of it.
public protocol PaymentCompletion {
  /// nil if the payload cannot be opened with this key.
  func open(_ sealed: SealedMembers, with key: PrivateKey) -> [UInt8]?
  /// The newest in the order of their arrival, and how many older ones there are.
  func records() throws(IncomingStoreError) -> (records: [IncomingRecord], unread: Int64)
  /// Returns the payments whose record is another by now, and stays.
  func remove(_ records: [IncomingRecord]) throws(IncomingStoreError) -> [Bytes32]
}

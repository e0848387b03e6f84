// Stages: stories, the demo and soaks on real processes, and stories in virtual time.

import PhoneClient
import Inspection
import Ground
import DaemonRuntime
import Foundation
import Glibc
import LightningInvoices
import PhonePolicy
import Reports
import Scenario
import SharedContainer

/// A story on real processes: a phone and a peer of its own in a scratch home, and signals for the faults. It looks from
/// outside alone: at what iosd and lspd say, and at the container as any inspector would.
final class RealStage: ScenarioStage {
  let driver: PhoneDriver
  var phone: PhoneClient.Phone { driver.phone }
  private var invoices: [PayableInvoice] = []
  var externalInvoices: [SignedInvoice] = []
  /// Each time that somebody paid: the number that lspd gave it, and what it said at once.
  private var attempts: [Attempt] = []

  private struct Attempt {
    var number: Int
    var id: Int64
    var state: String
    var reason: String
    /// Of a payment in parts; 0 for what is all of it.
    var parts = 0
    var part = 0
  }

  /// Between two looks when nothing is written into a journal: what a process says of itself reaches the phone an instant
  /// after it stands there. Twice as long each time, up to the second one, as long as nothing is written.
  private static let lookAgain = (first: TimeSpan.milliseconds(2), longest: TimeSpan.milliseconds(64))
  private var pause = RealStage.lookAgain.first
  /// As long as the peer of the simulated world holds a payment.
  private static let holdSeconds: Int64 = 120

  init(home: String, isLegacy: Bool, settings: [Setting] = []) throws {
    let phone = PhoneClient.Phone(home: home)
    entitlements = "\(phone.home)/entitlements.json"
    var options = PhoneStarter.Options()
    options.lspdArguments = ["--hold-seconds", "\(Self.holdSeconds)"] + (isLegacy ? ["--legacy"] : [])
    for setting in settings {
      options.iosdArguments += setting.ofPhone + setting.ofPhone(entitlements: entitlements)
      options.lspdArguments += setting.ofPeer
    }
    driver = try PhoneDriver(phone, options)
  }

  private let entitlements: String

  var now: Instant { Clock.monotonicNow }

  /// The judge sees it at the end.
  var broken: String? { nil }

  func begin() throws {
    try Setting.entitlements.write(toFile: entitlements, atomically: true, encoding: .utf8)
    try driver.start()
  }

  func makeInvoice(_ payment: PlannedPayment) throws {
    invoices.append(try driver.makeInvoice(amountMsat: payment.amountMsat, text: payment.text))
  }

  /// The app answers when it has stored it.
  func hasInvoice(_ number: Int) -> Bool { invoices.indices.contains(number - 1) }

  func goOn(until: Instant) throws {
    let end = min(until, now + pause)
    try driver.look(until: until, every: pause)
    pause = now < end ? Self.lookAgain.first : min(pause + pause, Self.lookAgain.longest)
  }

  // MARK: Deeds

  func make(_ action: StoryAction) throws {
    pause = Self.lookAgain.first
    switch action {
    case .open: try driver.open()
    case .home: try driver.goHome()
    case .quit: try driver.quit()
    case .homeAndBack(let times):
      for _ in 0..<times {
        try driver.goHome()
        try driver.open()
      }
    case .pay(let number): try pay(number)
    case .payInParts(let number, let parts): try pay(number, part: 1, of: parts)
    case .payNextPart(let number):
      guard let last = attempts.last(where: { $0.number == number && $0.parts > 0 }), last.part < last.parts
      else { throw ScenarioWords.noMoreParts }
      try pay(number, part: last.part + 1, of: last.parts)
    case .payInvoice(let number): try payInvoice(number)
    case .kill(let role): try kill(role)
    case .freeze(let role): try freeze(role)
    case .thaw(let role):
      try checkNotSuspended(role)
      try process(role).send(SIGCONT)
    case .replaceLock(let role): try replace(ContainerLayout(directory: phone.container).roleLock(of: role))
    case .emptyHeartbeat:
      guard truncate(ContainerLayout(directory: phone.container).heartbeat, 0) == 0 else {
        throw SystemError("empty the heartbeat")
      }
    case .restartPeer: try driver.restartPeer()
    case .stepClock(let seconds):
      try phone.ask(.iosd, ControlMessage("clock", ["step-seconds": "\(seconds)"]))
    case .device(let change): try set(change)
    case .silentPush: try sendSilentPush()
    case .touch(let touch): try self.touch(touch)
    case .launchTask(let identifier): try request("task-launch", ["identifier": identifier])
    case .expireTask(let identifier): try request("task-expire", ["identifier": identifier])
    case .reboot(let staysLocked):
      try phone.ask(.iosd, ControlMessage("reboot", ["unlock": staysLocked ? "no" : "yes"]))
    case .payInReboot(let number): try payInReboot(number)
    case .freezeInside, .copyDatabase, .restoreCopy, .breakConnection, .loseMessage, .repeatMessage,
      .losePush,
      .sleepDevice:
      throw CannotBeDone("it is for the simulation only")
    }
  }

  private func pay(_ number: Int, part: Int = 0, of parts: Int = 0) throws {
    guard invoices.indices.contains(number - 1) else { throw CannotBeDone("there is no such invoice") }
    let invoice = invoices[number - 1]
    let amounts = parts > 0 ? PayableInvoice.amounts(of: invoice.amountMsat, in: UInt64(parts)) : nil
    let answer = try driver.pay(invoice, partMsat: amounts?[part - 1], holdSeconds: Self.holdSeconds)
    attempts.append(
      Attempt(
        number: number, id: answer.payment.flatMap { Int64($0) } ?? -1, state: answer.state,
        reason: answer.reason ?? "", parts: parts, part: part))
  }

  /// Parts of one payment are one.
  private func payments(_ rows: [PeerPaymentRow]) -> [Scene.Payment] {
    var all: [Scene.Payment] = []
    for attempt in attempts {
      let row = rows.first { Int64(clamping: $0.id) == attempt.id }
      let state = Self.state(
        row?.state ?? attempt.state, row?.failure ?? attempt.reason)
      if attempt.part > 1, let index = all.lastIndex(where: { $0.number == attempt.number }) {
        all[index].add(state)
      } else {
        all.append(Scene.Payment(number: attempt.number, state: state, of: max(1, attempt.parts)))
      }
    }
    return all
  }

  /// Whether the push finds the phone off or just on again is the same to whoever gets it.
  private func payInReboot(_ number: Int) throws {
    let client = try ControlClient(path: phone.iosdSocket, daemon: "iosd")
    try client.send(ControlMessage("reboot", ["unlock": "yes"]))
    try pay(number)
    let answer = try client.receive(timeout: .seconds(20))
    if let sentence = answer.errorSentence { throw CannotBeDone(sentence) }
  }

  private func process(_ role: Role) throws -> WatchedProcess {
    guard let pid = try driver.pid(of: role), let process = WatchedProcess(pid: pid) else {
      throw CannotBeDone("there is no \(role.rawValue) any more")
    }
    return process
  }

  /// The phone knows of the end when the story goes on.
  private func kill(_ role: Role) throws {
    let victim = try process(role)
    victim.send(SIGKILL)
    try driver.wait(for: "the end of the killed process \(victim.pid)", within: .seconds(20)) {
      try driver.pid(of: role) != victim.pid
    }
  }

  /// Outside a transaction, as the story says it when it means the inside: one that was hit there goes on for a moment.
  private func freeze(_ role: Role) throws {
    try checkNotSuspended(role)
    let victim = try process(role)
    try driver.wait(for: "process \(victim.pid) to be stopped outside a transaction", within: .seconds(20)) {
      victim.send(SIGSTOP)
      try driver.wait(for: "process \(victim.pid) to stop") {
        ProcessTable.isStopped(victim.pid) || victim.hasEnded
      }
      if try snapshot()?.writer?.pid != victim.pid { return true }
      victim.send(SIGCONT)
      return false
    }
  }

  private func replace(_ path: String) throws {
    let stranger = "\(path)-of-a-stranger"
    let descriptor = open(stranger, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemError("create \(stranger)") }
    close(descriptor)
    guard rename(stranger, path) == 0 else { throw SystemError("replace \(path)") }
  }

  // MARK: Looking

  func look() throws -> Scene {
    let status = try driver.status()
    let rows = try phone.allProcesses()
    let notifications = try phone.notifications()
    let payments = try phone.peerPayments()
    let peer = try phone.peerFacts()
    let snapshot = try snapshot()
    let owner = snapshot?.owner
    let wallet = WalletView(snapshot?.tables ?? [])
    let isHeld = owner.map { !(snapshot?.lock(of: $0.role).holders.isEmpty ?? true) } ?? false
    func process(_ role: Role) -> Scene.Process {
      self.process(status.process(role), rows, role, epoch: owner?.epoch)
    }
    var scene = Scene(
      holder: isHeld ? owner?.role : nil, newestClaim: owner?.role, epoch: owner?.epoch ?? 0,
      app: process(.app), notifier: process(.extension),
      payments: self.payments(payments),
      receivedTimes: invoices.map { invoice in
        wallet.payments.count { $0.paymentHash == invoice.paymentHash.hex }
      },
      notifications: notifications.filter(\.isThere).map(Self.shown),
      isChannelEven: Self.isEven(wallet.channels.first, peer), phone: try phoneScene(status))
    scene.keptParts = invoices.indices.filter { wallet.keptHashes.contains(invoices[$0].paymentHash.hex) }.map
    {
      $0 + 1
    }
    noteInvoices(wallet, &scene)
    return scene
  }

  /// Nil before the wallet has run; while a container is being made it cannot be read yet.
  private func snapshot() throws -> Snapshot? {
    var found: Result<Snapshot?, ContainerError> = .success(nil)
    try? driver.wait(for: "a container that can be read", within: .seconds(10)) {
      do throws(ContainerError) {
        found = .success(try Snapshot.take(of: phone.container))
        return true
      } catch {
        switch error {
        case .missing, .notAContainer, .neverBegun: found = .success(nil)
        default:
          found = .failure(error)
          return false
        }
        return true
      }
    }
    return try found.get()
  }

  private func process(
    _ facts: WalletFacts, _ rows: [ProcessRow], _ role: Role, epoch: UInt64?
  ) -> Scene.Process {
    let all = rows.filter { $0.role == role.rawValue }
    let lastEnd = all.last { $0.reason != nil }?.reason
    guard facts.state != "not running", let pid = facts.pid else {
      guard let own = all.last else { return Scene.Process(place: .notStarted) }
      return Scene.Process(place: own.reason.map(Scene.Process.Place.ended) ?? .starting, lastEnd: lastEnd)
    }
    let pids: [(pid: Int32, role: Role)] = rows.compactMap { row in
      Role(rawValue: row.role).map { (row.pid, $0) }
    }
    let claimed = facts.status?["epoch"].flatMap { UInt64($0) }
    return Scene.Process(
      place: ScenarioWords.place(facts.state, role), isFrozen: ProcessTable.isStopped(pid),
      shows: Scene.named(facts.status?["text"] ?? "", pids.reversed()),
      isConnected: facts.statusCode?.isConnected == true && claimed != nil && claimed == epoch,
      lastEnd: lastEnd)
  }

  private static func state(_ word: String, _ reason: String) -> Scene.Payment.State {
    switch word {
    case "paid", "settled": .settled
    case "failed": .failed(reason)
    case "held": .waits
    default: .underWay
    }
  }

  private static func isEven(_ wallet: WalletView.ChannelFacts?, _ peer: PeerFacts) -> Bool {
    guard let wallet, wallet.openHTLCs == 0, peer.htlcs == 0 else { return false }
    return wallet.localMsat == peer.walletMsat
  }
}

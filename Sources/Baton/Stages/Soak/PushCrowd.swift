import Ground
import DaemonRuntime
import Dispatch
import enum PhonePolicy.AfterContent
import Guardrails

/// Plays pushes on many phones at once, each with its own peer and pair.
final class PushCrowd: Sendable {
  /// The outcome on one phone.
  struct Outcome: Sendable {
    var evidence: PushEvidence
    var payments: Int
    var strikes: PushStrikes
    /// Payments that were settled when the user next opened the app, and those whose hold had ended then.
    var untouched: Int
    var lost: Int
    var subjects: [SoakReport.Subject]
  }

  private struct State {
    var done = 0
    var isOver = false
    var outcomes: [Int: Outcome] = [:]
    var failure: String?
  }

  /// Heap bytes that lspd allocates until its statements and tables are filled.
  private static let providerFilling = 65_536.0
  /// Of a wallet whose extension only notifies iosd also keeps the silent push, and the sealed payload for the tap.
  private static let tellingRowBytes = 1500.0
  /// Pushes until the caches are filled.
  private static let warmUp = 3

  private let phones: [Phone]
  private let shares: [Range<Int>]
  private let timers: PushTimers
  private let afterContent: AfterContent
  private let isDebugBuild: Bool
  private let wallet: WalletProfile
  private let user: AbsentUser
  private let state = Locked(State())

  init(
    phones: [Phone], pushes: Int, timers: PushTimers, afterContent: AfterContent, isDebugBuild: Bool,
    wallet: WalletProfile, user: AbsentUser
  ) {
    self.wallet = wallet
    self.user = user
    self.phones = phones
    self.timers = timers
    self.afterContent = afterContent
    self.isDebugBuild = isDebugBuild
    // Numbers continue from phone to phone, so that each kind of push has its share.
    shares = phones.indices.map { pushes * $0 / phones.count..<pushes * ($0 + 1) / phones.count }
  }

  /// `progress` gets the number of finished pushes, every five seconds.
  func run(progress: (Int) -> Void) throws -> [Outcome] {
    let all = DispatchGroup()
    for index in phones.indices {
      DispatchQueue(label: phones[index].home).async(group: all) { [self] in play(index) }
    }
    var reportedAt = Clock.monotonicNow
    while all.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
      guard Clock.monotonicNow - reportedAt >= .seconds(5) else { continue }
      reportedAt = Clock.monotonicNow
      progress(state.withLock(\.done))
    }
    let end = state.withLock { $0 }
    if let failure = end.failure { throw Wait.Failure(description: failure) }
    return phones.indices.compactMap { end.outcomes[$0] }
  }

  private func stop(_ sentence: String) {
    state.withLock { state in
      state.isOver = true
      state.failure = state.failure ?? sentence
    }
  }

  private func play(_ index: Int) {
    let phone = phones[index]
    defer { _ = PhoneStopper(phone: phone).stop() }
    do {
      let outcome = try outcome(index)
      state.withLock { $0.outcomes[index] = outcome }
    } catch {
      stop("\(phone.home): \(CommandFailure(error).description)")
    }
  }

  /// Bytes per round for the rows that iosd keeps, until they have reached their maximum.
  private func filling(_ rounds: Int) -> Double {
    let rowBytes = SoakRun.rowBytes + (wallet.extension.hasNode ? 0 : Self.tellingRowBytes)
    return rowBytes * Double(min(rounds, SoakRun.roundsUntilFull)) / Double(rounds)
  }

  private func outcome(_ index: Int) throws -> Outcome {
    let phone = phones[index]
    let share = shares[index]
    var options = PhoneStarter.Options()
    options.wallet = wallet
    options.iosdArguments =
      timers.arguments + [
        "--build", isDebugBuild ? "debug" : "production", "--after-content", afterContent.rawValue,
      ]
    let driver = try PhoneDriver(phone, options, lookInterval: .milliseconds(15))
    try driver.start()
    let play = PushPlay(driver, timers, user)
    for number in 1...Self.warmUp { try play.push(number) }
    try play.rest()
    let before = try Daemon.allCases.map { try SoakFigures.of($0, phone) }
    for number in share {
      if state.withLock(\.isOver) { break }
      try play.push(number + 1)
      state.withLock { $0.done += 1 }
    }
    try play.rest()
    let rounds = max(1, share.count)
    let subjects = try zip(Daemon.allCases, before).map { daemon, before in
      SoakReport.Subject(
        name: "\(daemon.rawValue) of phone \(index + 1)", rounds: rounds, before: before,
        after: try SoakFigures.of(daemon, phone),
        allowedBytes: (SoakRun.allowedBytes[daemon] ?? 0)
          + (daemon == .iosd ? filling(rounds) : Self.providerFilling / Double(rounds)))
    }
    return Outcome(
      evidence: try PushEvidence(of: phone), payments: play.payments, strikes: play.strikes,
      untouched: play.untouched, lost: play.lost,
      subjects: subjects)
  }
}

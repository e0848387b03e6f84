import PhoneClient
import Inspection
import Ground
import DaemonRuntime
import Glibc
import Judge
import Reports
import Scenario
import Wallet

// The end of a story on real processes.
extension RealStage {
  /// The phone goes down, and whoever shares no code with it reads what it left behind.
  func judge() throws -> StageVerdict {
    // Also one that says why: only a locked phone is reason enough to end with an error.
    let crashes = try phone.allProcesses().filter { row in
      let hasFailed = row.how == "exited" && row.number != 0
      return row.isCrash == true || hasFailed && row.ownCode != WalletEnding.seedWithheld.rawValue
    }.map { "the \($0.role) (process \($0.pid)) \($0.reason ?? "crashed")" }
    let scene = try look()
    end()
    let verdict = try JudgeVerb.verdict(on: phone.home, requireSettled: true)
    let different = try FilePath.journals(in: phone.journal).compactMap { name in
      try JournalReplay.run("\(phone.journal)/\(name)").trouble.map { "\(name) \($0)" }
    }
    let broken =
      verdict.findings.filter { $0.invariant != 6 }.map { "[\($0.title)] \($0.sentence)" }
      + verdict.missing.map { "there is no verdict: \($0.sentence)" }
    guard broken.isEmpty, different.isEmpty else { return .broken(broken + different) }
    guard crashes.isEmpty else { return .crashed(crashes) }
    var open = verdict.unsettled
    if !scene.isChannelEven { open.append("the channel is half-way, or its two sides count differently") }
    let settled = scene.payments.count { $0.state == .settled }
    if settled != verdict.counts.paid {
      open.append(
        "senders were told of \(settled) settled payments, and the ledger has \(verdict.counts.paid)")
    }
    guard verdict.passed, open.isEmpty else { return .unsettled(open) }
    // What the peer refuses at once is in no ledger.
    return .sound(
      settled: settled + scene.paidInvoices, failed: scene.payments.count - settled + scene.failedInvoices)
  }

  /// Whatever happened before: nobody is left behind. Who is frozen would only keep the others waiting.
  func end() {
    for role in [Role.app, .extension] {
      guard let pid = try? driver.pid(of: role), ProcessTable.isStopped(pid) else { continue }
      WatchedProcess(pid: pid)?.send(SIGKILL)
    }
    driver.stop()
  }
}

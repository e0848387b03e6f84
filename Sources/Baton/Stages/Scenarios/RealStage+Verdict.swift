import Ground
import DaemonRuntime
import Glibc
import Judge
import PhonePolicy
import Wallet
import Guardrails

// The verdict on a story on real processes.
extension RealStage {
  /// Stops the phone and judges its evidence.
  func judge() throws -> StageVerdict {
    // A nonzero exit is a crash, too, unless the locked phone withheld the seed.
    let crashes = try phone.allProcesses().filter { row in
      let hasFailed = row.how == "exited" && row.number != 0
      return row.isCrash == true || hasFailed && row.ownCode != WalletEnding.seedWithheld.rawValue
    }.map { "the \($0.role) (process \($0.pid)) \($0.reason ?? "crashed")" }
    let scene = try look()
    narrator?.headline("The phone goes down")
    end()
    narrator?.follow()
    narrator?.headline("The judge reads the peer's ledger, the wallet's database and the journals")
    let verdict: Verdict
    do {
      verdict = try JudgeVerb.verdict(
        on: phone.home, requireSettled: true, without: pair?.evidenceMissing ?? [])
    } catch {
      // A program that crashes at its start leaves nothing to judge.
      guard crashes.isEmpty else { return .crashed(crashes) }
      throw error
    }
    let names = FilePath.journals(in: phone.journal)
    let replays = try names.map { try JournalReplay.run("\(phone.journal)/\($0)") }
    let different = zip(names, replays).compactMap { name, replay in replay.trouble.map { "\(name) \($0)" } }
    narrator?.tell(verdict, replays, different)
    let broken = verdict.findings.filter { $0.invariant != .progress }.map {
      "[\($0.invariant.title)] \($0.sentence)"
    }
    let missing = verdict.missing.map { "no verdict: \($0.sentence)" }
    guard broken.isEmpty, different.isEmpty else { return .broken(broken + missing + different) }
    guard crashes.isEmpty else { return .crashed(crashes + missing) }
    guard missing.isEmpty else { return .unjudged(missing) }
    var open = verdict.unsettled
    if !scene.isChannelEven, pair?.level != .container {
      open.append(ScenarioWords.unevenChannel)
    }
    let settled = scene.payments.count { $0.state == .settled }
    if settled != verdict.counts.paid {
      open.append(
        "senders received \(settled) settlements, but the ledger has \(verdict.counts.paid)")
    }
    guard verdict.passed, open.isEmpty else { return .unsettled(open) }
    // A payment that the peer refuses at once is not in the ledger.
    return .sound(
      settled: settled + scene.paidInvoices, failed: scene.payments.count - settled + scene.failedInvoices)
  }

  /// Ends all processes in any state. Frozen ones are killed first: the others would wait for them.
  func end() {
    for sender in senders { sender.end() }
    for role in [Role.app, .extension] {
      guard let pid = try? driver.pid(of: role), ProcessTable.isStopped(pid) else { continue }
      WatchedProcess(pid: pid)?.send(SIGKILL)
    }
    driver.stop()
  }
}

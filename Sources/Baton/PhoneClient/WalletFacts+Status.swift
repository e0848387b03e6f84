import DaemonRuntime
import Ground
import Guardrails
import PhonePolicy

extension WalletFacts {
  package var statusCode: StatusCode? { (status?["code"]).flatMap(StatusCode.init) }

  /// Stopped, and not by iosd, which knows of the stops that it has made.
  package var isFrozen: Bool { state != AppState.suspended.word && pid.map(ProcessTable.isStopped) ?? false }

  /// Of a process that has run for a while without a word.
  package var silence: String? {
    guard let silentMs, silentMs >= 1000 else { return nil }
    return
      "silent since its start \(HumanText.span(.milliseconds(silentMs))) ago; its output is in \(output ?? "?")"
  }
}

extension PhoneFacts {
  package func process(_ role: Role) -> WalletFacts { role == .app ? app : `extension` }
}

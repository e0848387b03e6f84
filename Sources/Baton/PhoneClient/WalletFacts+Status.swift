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

extension WalletFacts {
  /// What the process is at, beside its state and its text.
  package var works: [String] {
    let tasks = ownTasks ?? []
    return [
      silence, push.map { "push \($0)" }, waitingPushes.flatMap { $0 > 0 ? "\($0) more waiting" : nil },
      tasks.isEmpty ? nil : "at work on: \(tasks.joined(separator: ", "))",
    ].compactMap { $0 }
  }
}

extension PeerFacts {
  /// The wallet's connection.
  package var connection: String {
    guard walletConnected else { return "not connected" }
    let state = channelEstablished ? "connected, channel established" : "connected"
    return "\(state)\(epoch.map { " (epoch \($0))" } ?? "")"
  }

  /// The payments that wait for the wallet, after `connection`.
  package var waiting: String {
    (held > 0 ? ", holds \(HumanText.count(held, "payment"))" : "")
      + (offered > 0 ? ", \(offered) offered\(offeredFor)" : "")
  }

  /// A wallet answers an offer in milliseconds, or it is frozen or waits for other parts.
  package var offeredFor: String {
    offeredForMs.map { " for \(HumanText.span(.milliseconds($0)))" } ?? ""
  }
}

extension PhoneFacts {
  package func process(_ role: Role) -> WalletFacts { role == .app ? app : `extension` }
}

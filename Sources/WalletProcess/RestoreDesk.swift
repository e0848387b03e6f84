import DaemonRuntime
import Guardrails

/// The person says that the wallet of this seed lives in this container from now on. What comes of it is what the app shows
/// next: connected, or why not.
final class RestoreDesk {
  private var requests: [String] = []
  /// Since they were asked: a wallet that was here already connects without it.
  private var hasMoved = false

  var onAnswer: ((ControlMessage) -> Void)?
  /// What the person reads in the app.
  var status: (() -> Status?)?
  var onWish: (() -> Void)?

  func asked(_ message: ControlMessage) {
    if requests.isEmpty { hasMoved = false }
    requests.append(message["request"] ?? "")
    onWish?()
    // Nothing changes for an app that is connected.
    if let status = status?() { showed(status) }
  }

  /// It claims in the place of the container that the peer knows.
  func moves() { hasMoved = true }

  func showed(_ status: Status) {
    guard !requests.isEmpty else { return }
    switch status {
    case .connected(let epoch), .settling(let epoch):
      let moved = hasMoved ? "yes" : "no"
      answer { ControlMessage("restore-done", ["request": $0, "epoch": "\(epoch)", "moved": moved]) }
    case .usedByAnotherDevice, .trouble:
      answer { ControlMessage("restore-failed", ["request": $0, "message": status.text]) }
    case .idle, .waitingForExtension, .waitingForOther, .appGoesFirst, .blocked, .claiming, .connecting,
      .hinderedFromConnecting, .releasing:
      break
    }
  }

  private func answer(_ make: (String) -> ControlMessage) {
    let asked = requests
    requests = []
    for request in asked { onAnswer?(make(request)) }
  }
}

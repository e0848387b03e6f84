import Ground
import Platform
import DaemonRuntime
import Guardrails
import Wallet

/// iosd, at the other end of the channel that it gives its children.
final class EmulatedPhone {
  private let connection: UnixConnection
  private let wallet: WalletProfile
  /// The last sent values, as each status message contains all.
  private var status: Status?
  private var openTargets: [ConnectionTarget]?
  /// The phone's identifier of the current stay in the background.
  var timeInBackground: String?

  /// Called for each message of the phone; `WalletProcess` interprets it.
  var onMessage: ((ControlMessage) -> Void)?
  /// The channel ended, or received an invalid message.
  var onEnd: ((String) -> Void)?

  init?(channel: Int32, loop: EventLoop, wallet: WalletProfile) {
    guard let connection = UnixConnection(adopting: channel, loop: loop) else { return nil }
    self.connection = connection
    self.wallet = wallet
    connection.onMessage = { [unowned self] in onMessage?($0) }
    connection.onEnd = { [unowned self] in onEnd?($0.description) }
  }

  func start(role: Role, pid: Int32) {
    connection.start()
    connection.send(PhoneMessages.hello(role, pid: pid))
  }

  func send(_ message: ControlMessage) { connection.send(message) }

  /// The answer to a user's request; the phone passes it on unread.
  func answer(_ request: String, _ answer: ControlMessage) {
    let body = (try? answer.encoded()) ?? []
    send(ControlMessage("answer", ["request": request], body: body))
  }

  /// Sends the phone's orders; this process carries out the rest.
  func carryOut(_ order: PhoneOrder) {
    switch order {
    case .guardrail(.show(let status)): show(status)
    case .guardrail(.mayConnect(let targets)):
      openTargets = targets
      status.map(show)
    case .guardrail(.deliver(let push, let outcome)):
      send(PhoneMessages.content(ofPush: push, outcome, wallet))
    case .notify(let payment, let withdraws):
      send(PhoneMessages.notification(of: payment, withdrawsAnnouncement: withdraws))
    case .withdrawAnnouncement(let payment): send(PhoneMessages.withdrawal(ofAnnouncement: payment))
    case .guardrail(.finished(let push, let reason)): send(PhoneMessages.finished(push: push, reason))
    case .guardrail(.completed(let push, let outcome)):
      send(ControlMessage("push-done", ["id": "\(push)", "result": outcome.rawValue]))
    case .guardrail(.backgroundDone):
      var message = ControlMessage("background-done")
      if let timeInBackground { message["time"] = timeInBackground }
      send(message)
    case .guardrail(.beginBackgroundTask(let id, let name)):
      send(ControlMessage("background-begin", ["id": "\(id)", "name": name ?? "keep or release the node"]))
    case .guardrail(.endBackgroundTask(let id)): send(ControlMessage("background-end", ["id": "\(id)"]))
    case .submit(let task): submit(task)
    case .complete(let task, let run, let isSuccess, _):
      send(
        ControlMessage(
          "task-done",
          ["identifier": task.identifier, "run": "\(run)", "success": isSuccess ? "yes" : "no"]))
    case .playAudio: playNearlyNothing()
    case .stopAudio: send(ControlMessage("audio-stop"))
    case .showScreen(let screen): send(screen.message)
    case .copy(let text): send(ControlMessage("pasteboard", body: Array(text.utf8)))
    case .answerPress(let request, let refusal): answer(request, ScreenButton.answer(refusal: refusal))
    case .guardrail(.say), .guardrail(.noteFailure), .guardrail(.end), .tidyJournals, .makeInvoice, .answer,
      .cleanUp:
      break
    }
  }

  private func show(_ status: Status) {
    self.status = status
    var message = ControlMessage("status", ["code": status.code.rawValue, "text": status.text])
    if let epoch = status.epoch { message["epoch"] = "\(epoch)" }
    if let openTargets { message["may-connect"] = openTargets.map(\.rawValue).joined(separator: " ") }
    let database = Connection.allocatedBytes
    let heap = MemoryFigures.heapBytes
    message["heap-bytes"] = "\(heap - min(heap, database))"
    message["database-bytes"] = "\(database)"
    send(message)
  }

  private func submit(_ task: BackgroundTask) {
    send(
      ControlMessage(
        "task-submit",
        [
          "identifier": task.identifier, "kind": task.isRefresh ? "refresh" : "processing",
          "earliest-seconds": "\(task.earliestSeconds)", "requires-network": task.needsNetwork ? "yes" : "no",
          "requires-external-power": task.needsPower ? "yes" : "no",
        ]))
  }

  /// One second of near silence in a loop: at volume zero the phone counts the audio as idle.
  private func playNearlyNothing() {
    send(
      ControlMessage(
        "audio-start",
        [
          "volume": "0.01", "mixes": "yes", "loops": "-1", "rate": "44100", "channels": "1",
          "frames": "44100",
        ]))
  }
}

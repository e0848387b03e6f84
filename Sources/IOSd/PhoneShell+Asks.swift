import DaemonRuntime
import PhonePolicy

// Requests to the app, and its answers: opaque bytes to the phone.
extension PhoneShell {
  func ask(
    _ message: ControlMessage, reply: @escaping (ControlMessage) -> Void
  ) throws(ControlMessageError) {
    guard message.body.count <= PendingAsks.bodyMax else {
      return reply(
        .error(
          "the request has \(message.body.count) bytes and may have \(PendingAsks.bodyMax); ask for less at once"
        ))
    }
    let inFront = try message.flag("in-front", default: true)
    handle(.appAsked(request: asks.take(message.body, reply: reply), inFront: inFront))
  }

  func hearAnswer(_ message: ControlMessage) throws(ControlMessageError) {
    let request = try message.integer("request", in: UInt64.min...UInt64.max)
    var answer = ControlMessage("answer", body: message.body)
    // The app is not told, as on iOS; the user sees it.
    answer["pasteboard-refusal"] = pasteboardRefusal
    pasteboardRefusal = nil
    asks.answer(request, with: answer)
    handle(.appAnswered(request: request))
  }

  func error(_ refusal: AskRefusal) -> ControlMessage {
    refusal.leavesOutcomeUnknown ? .outcomeUnknown(words(refusal)) : .error(words(refusal))
  }

  /// If the app's process is stopped (SIGSTOP, debugger), asking again does not help.
  private func words(_ refusal: AskRefusal) -> String {
    guard refusal == .timedOut, phone.app != .suspended,
      let pid = child(.app)?.process.identity.pid, ProcessTable.isStopped(pid)
    else { return refusal.description }
    return
      "the outcome is unknown: the app (process \(pid)) is stopped (SIGSTOP or a debugger) and did not answer in time, and may begin the request once `baton thaw app` continues it; look at `baton payments` before you try again"
  }
}

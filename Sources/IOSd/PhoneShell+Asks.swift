import DaemonRuntime
import PhonePolicy

// The app is asked for something that is the wallet's alone: the question and the answer are bytes to the phone.
extension PhoneShell {
  func ask(
    _ message: ControlMessage, reply: @escaping (ControlMessage) -> Void
  ) throws(ControlMessageError) {
    guard message.body.count <= AskDesk.bodyMax else {
      return reply(
        .error(
          "the request has \(message.body.count) bytes and may have \(AskDesk.bodyMax); ask for less at once"
        ))
    }
    let inFront = try message.flag("in-front", default: true)
    handle(.appAsked(request: asks.take(message.body, reply: reply), inFront: inFront))
  }

  func hearAnswer(_ message: ControlMessage) throws(ControlMessageError) {
    let request = try message.integer("request", in: UInt64.min...UInt64.max)
    asks.answer(request, with: ControlMessage("answer", body: message.body))
    handle(.appAnswered(request: request))
  }

  /// A process that others have stopped answers nothing: then what helps is another thing than to ask again.
  func words(_ refusal: AskRefusal) -> String {
    guard refusal == .timedOut, phone.app != .suspended,
      let pid = child(.app)?.process.identity.pid, ProcessTable.isStopped(pid)
    else { return refusal.description }
    return
      "the app (process \(pid)) is stopped (SIGSTOP or a debugger) and did not answer in time; `kill -CONT \(pid)` lets it go on, and it may still begin then: look with `baton inspect` before you try again"
  }
}

import DaemonRuntime
import PhonePolicy

extension PhoneShell {
  /// A process that others have stopped answers nothing: then what helps is another thing than to ask again.
  func words(_ failure: InvoiceFailure) -> String {
    guard [.timedOut, .slowToPay].contains(failure), phone.app != .suspended,
      let pid = child(.app)?.process.identity.pid, ProcessTable.isStopped(pid)
    else { return failure.description }
    let stopped =
      "the app (process \(pid)) is stopped (SIGSTOP or a debugger) and did not answer in time; `kill -CONT \(pid)` lets it go on"
    return failure == .timedOut
      ? stopped : "\(stopped), and it may still pay then: look with `baton inspect` before you try again"
  }
}

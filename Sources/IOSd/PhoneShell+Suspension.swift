import Ground
import DaemonRuntime
import PhonePolicy
import SharedContainer

// Suspension: the process is stopped, its connections are closed, and its locks in the container are checked.
extension PhoneShell {
  /// A process stops when its threads leave the kernel: after microseconds, or after a write to a slow disk.
  private static let stopPollSpan = TimeSpan.milliseconds(1)

  func suspend(_ role: Role) {
    guard let child = child(role) else { return }
    child.suspend()
    whenStopped(child, in: child.suspensions)
  }

  /// `suspension` is its number: a poll ends when the process was resumed, also if it was suspended again meanwhile.
  private func whenStopped(_ child: WalletChild, in suspension: UInt64) {
    guard child.isSuspended, child.suspensions == suspension else { return }
    guard ProcessTable.isStopped(child.process.identity.pid) else {
      loop.after(Self.stopPollSpan) { [weak self, weak child] in
        guard let self, let child else { return }
        whenStopped(child, in: suspension)
      }
      return
    }
    endConnections(of: child.role)
    guard let held = HeldLocks.all(in: home.container, heldBy: child.process.identity.pid) else {
      return blindSpots.note(.unreadableLocks, in: journal)
    }
    if let lock = held.first { handle(.foundHoldingLock(child.role, file: lock.description)) }
  }

  func endConnections(of role: Role) {
    guard let child = child(role) else { return }
    let (ended, obstacle) = ProcessSockets.endConnections(of: child.process)
    if let obstacle { blindSpots.note(.connections("\(obstacle)"), in: journal) }
    if ended > 0 { journal.note("connections of the \(role.rawValue) that the phone closed: \(ended)") }
  }

  func understandActivity(_ message: ControlMessage, from role: Role) throws(ControlMessageError) {
    let id = try message.id()
    if role == .extension { noteEnding(of: role) }
    handle(message.verb == "activity-begin" ? .activityBegan(role, id: id) : .activityEnded(role, id: id))
  }

  func understandTask(_ message: ControlMessage) throws(ControlMessageError) {
    let id = try message.id()
    if message.verb == "background-end" { return handle(.taskEnded(id: id)) }
    handle(.taskBegan(id: id, name: ScreenText.cut(message["name"] ?? "", to: ScreenText.titleMax)))
  }
}

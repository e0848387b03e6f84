import DaemonRuntime
import Glibc
import Ground
import PhonePolicy
import SharedContainer

/// Parts of a suspension that iosd cannot carry out on this machine. Without them a suspension looks right and is
/// not.
struct BlindSpots {
  enum Spot: Hashable, CustomStringConvertible {
    case locks(String)
    case connections(String)

    var description: String {
      switch self {
      case .locks(let why):
        "a process suspended while it holds a lock in the container is not detected: \(why)"
      case .connections(let why): "the connections of a suspended process stay open: \(why)"
      }
    }

    static let unreadableLocks = Spot.locks("/proc/locks cannot be read")

    func isLike(_ other: Spot) -> Bool {
      switch (self, other) {
      case (.locks, .locks), (.connections, .connections): true
      default: false
      }
    }
  }

  private(set) var spots: [Spot] = []

  init(home: PhoneHome) {
    if let spot = Self.probeLocks(in: home.container) { spots.append(spot) }
    if let obstacle = ProcessSockets.obstacle { spots.append(.connections("\(obstacle)")) }
  }

  /// Checks that a lock of our own on a file of the container is visible, as a child's would be. The container may
  /// lie on another file system than the rest of the home.
  private static func probeLocks(in container: String) -> Spot? {
    let name = ".iosd-lock-probe"
    let path = "\(container)/\(name)"
    let descriptor: Int32
    do throws(SystemError) { descriptor = try PlainFile.open(path, O_RDWR | O_CREAT) } catch {
      return .locks("\(error)")
    }
    defer {
      unlink(path)
      close(descriptor)
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return .locks("\(SystemError("lock \(path)"))") }
    return spot(ofOwnLockOn: name, in: container)
  }

  static func spot(ofOwnLockOn name: String, in container: String) -> Spot? {
    guard let held = HeldLocks.all(in: container, heldBy: getpid()) else { return .unreadableLocks }
    if held.contains(where: { $0.file == name }) { return nil }
    return .locks(
      "/proc/locks does not show iosd's test lock in the container; put --home on another file system")
  }

  /// Journals each once; some only appear with the first child.
  mutating func note(_ spot: Spot, in journal: Journal) {
    guard !spots.contains(where: { $0.isLike(spot) }) else { return }
    spots.append(spot)
    journal.note("\(spot)")
  }
}

// Suspension: the process is stopped, its connections are closed, and its locks in the container are checked.
extension PhoneShell {
  /// A process stops when its threads leave the kernel: after microseconds, or after a write to a slow disk.
  private static let stopPollSpan = TimeSpan.milliseconds(1)

  func suspend(_ role: Role) {
    guard let child = child(role) else { return }
    child.suspend()
    onWalletNews?()
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

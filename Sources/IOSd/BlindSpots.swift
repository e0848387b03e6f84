import DaemonRuntime
import Glibc
import SharedContainer

/// What this machine keeps iosd from seeing or doing to a process that it suspends. Without it a suspension looks right
/// and is not.
struct BlindSpots {
  enum Spot: Hashable, CustomStringConvertible {
    case locks(String)
    case connections(String)

    var description: String {
      switch self {
      case .locks(let why): "an app that is suspended with a lock in the container is not noticed: \(why)"
      case .connections(let why): "the connections of an app that is suspended stay open: \(why)"
      }
    }

    func isLike(_ other: Spot) -> Bool {
      switch (self, other) {
      case (.locks, .locks), (.connections, .connections): true
      default: false
      }
    }
  }

  private(set) var spots: [Spot] = []

  /// The lock that iosd holds on its own home must be seen as one of a child would be.
  init(home: PhoneHome) {
    if !HeldLocks.files(in: home.system, lockedBy: getpid()).contains(home.lockName) {
      spots.append(
        .locks(
          "/proc/locks does not name the file that a lock of ours is on; put --home on another file system"))
    }
    if let obstacle = ProcessSockets.obstacle { spots.append(.connections("\(obstacle)")) }
  }

  /// Each once: what could not be foreseen shows with the first child.
  mutating func note(_ spot: Spot, in journal: Journal) {
    guard !spots.contains(where: { $0.isLike(spot) }) else { return }
    spots.append(spot)
    journal.note("\(spot)")
  }
}

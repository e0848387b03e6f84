import Ground
import DaemonRuntime
import PhonePolicy
import SharedContainer

/// A wallet process that was not started by iosd but by hand, such as by `baton pair`: a second one of its role would
/// only wait for it.
package struct HandRunProcess: Report, Hashable {
  /// Its program.
  package let process: String
  package let pid: Int32

  /// Processes whose iosd was just killed need some time to exit.
  private static let timeout = TimeSpan.seconds(5)

  package var sentence: String {
    "iosd does not run, and \(process == "mainappd" ? "the app" : "the extension") was started by hand (process \(pid)); end it before `baton up`"
  }

  /// Empty while iosd runs: then the processes are iosd's.
  package static func all(of phone: Phone) -> [HandRunProcess] {
    guard case .noProcess = DaemonProbe.look(at: phone.iosdSocket) else { return [] }
    let presence = ContainerLayout(directory: phone.container).presence
    return [("app", "mainappd"), ("extension", "notifyextd")].compactMap { role, name in
      DaemonProbe.pid(listeningOn: "\(presence)/\(role).sock").map { HandRunProcess(process: name, pid: $0) }
    }
  }

  /// Throws for a process that does not exit in time.
  package static func refuse(of phone: Phone) throws(CommandFailure) {
    for process in all(of: phone) {
      guard let watched = WatchedProcess(pid: process.pid) else { continue }
      guard watched.waitForEnd(within: timeout) else {
        throw CommandFailure(.daemonMissing, process.sentence)
      }
    }
  }
}

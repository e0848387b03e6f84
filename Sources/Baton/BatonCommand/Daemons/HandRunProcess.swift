import PhoneClient
import Ground
import DaemonRuntime
import Reports
import SharedContainer

/// A wallet process that no iosd has started, as `baton pair` starts them: it listens for its partner all the same, and another one
/// beside it would only wait for it.
struct HandRunProcess {
  let role: String
  let pid: Int32

  /// Those of a phone whose iosd has just been killed are on their way out.
  private static let patience = TimeSpan.seconds(5)

  var processName: String { role == "app" ? "mainappd" : "notifyextd" }

  var sentence: String {
    "iosd does not run, and \(role == "app" ? "the app" : "the extension") was started by hand (process \(pid)); end that one before `baton up`"
  }

  struct Document: Report {
    var process: String
    var pid: Int32
  }

  var document: Document { Document(process: processName, pid: pid) }

  /// None while iosd runs: then they are its own.
  static func all(of phone: Phone) -> [HandRunProcess] {
    guard case .nobody = DaemonProbe.look(at: phone.iosdSocket) else { return [] }
    let presence = ContainerLayout(directory: phone.container).presence
    return ["app", "extension"].compactMap { role in
      DaemonProbe.pid(listeningOn: "\(presence)/\(role).sock").map { HandRunProcess(role: role, pid: $0) }
    }
  }

  /// Throws for one that stays.
  static func refuse(of phone: Phone) throws(CommandFailure) {
    for process in all(of: phone) {
      guard let watched = WatchedProcess(pid: process.pid) else { continue }
      guard watched.waitForEnd(within: patience) else {
        throw CommandFailure(.daemonMissing, process.sentence)
      }
    }
  }
}

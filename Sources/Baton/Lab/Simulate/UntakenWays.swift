import Simulation

/// Why an exploration does not take a transition of a machine, and which option it needs.
enum UntakenWays {
  static func reason(_ way: Ways.Way) -> String {
    let ends = [way.from, way.to]
    func has(_ names: String...) -> Bool { ends.contains { names.contains($0) } }
    switch way.machine {
    case "node" where has("preparing"):
      return "it needs a start that waits for something outside: --start-delay 5s"
    case "node" where has("offline"):
      return "it needs a phone without a network: --networks 1"
    case "node" where has("adopting", "awaitingBackup", "mute"):
      return "it needs a database older than the peer's backup: --copies 1"
    case "node" where has("readingAgain") || (way.from == "checkingRow" && way.to == "pausing"):
      return "it needs a process that is stopped inside a transaction: --freezes 1"
    case "node" where has("pausing"):
      return "it needs a connection that breaks: --cuts 1, or --peer-restarts 1"
    case "app" where has("ending", "ended"), "app, to the phone" where has("terminating"):
      return "an exploration does not swipe the app away; baton sim does"
    case "app, to the phone" where has("launching"), "extension, to the phone" where has("launching"):
      return "a process starts at once in an exploration, and its start does not fail"
    case "extension" where has("ended"):
      return
        "it needs an extension that loses the node to the app, or that the phone asks to end: --freezes 1"
    default: return "it needs more than these bounds allow"
    }
  }
}

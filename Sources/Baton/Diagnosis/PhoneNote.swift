/// What was found about a phone's home and its daemons.
package enum PhoneNote: Hashable, Sendable {
  /// A directory of the home that others can change or that is another user's: why, and what to do.
  case openHome(String)
  /// A file with a secret that others have rights on.
  case openSecret(FileMark)
  /// The daemon's name, and why it does not answer.
  case stopped(String, String)
  case silent(String, String)
  /// Parts of a suspension or limit that iosd cannot carry out here.
  case blindSpot(String)
  case memoryBySamples(String)

  package var finding: Finding {
    switch self {
    case .openHome(let sentence): Finding(.openToOthers, sentence)
    case .openSecret(let file):
      Finding(
        .secretInTheClear,
        "\(file.path) has a key, and others have rights on it (mode \(String(file.permissions, radix: 8)))",
        remedy: "run chmod 600 on it", fix: .narrow(path: file.path, mode: file.permissions & ~0o077))
    case .stopped(_, let sentence): Finding(.daemonStopped, sentence)
    case .silent(_, let sentence): Finding(.daemonSilent, sentence)
    case .blindSpot(let sentence): Finding(.connectionsStayOpen, "not emulated on this machine: \(sentence)")
    case .memoryBySamples(let why):
      Finding(
        .memoryInexact, "iosd has no memory cgroup for the extension: \(why)",
        remedy: "nothing to do; with cgroup v1 and its rights the kernel holds the limit")
    }
  }
}

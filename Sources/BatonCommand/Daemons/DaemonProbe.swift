import CLinux
import CoreShape
import DaemonRuntime
import Glibc
import Heartbeat

/// Finds out which process listens on a control socket, from the socket itself: a pid in a file may be old.
enum DaemonProbe {
  /// Nil when nobody listens there.
  static func pid(listeningOn path: String) -> Int32? {
    guard let slash = path.lastIndex(of: "/") else { return nil }
    // Through a descriptor of the directory, as a socket's path may have only 107 bytes.
    let directory = baton_open_directory_path(String(path[..<slash]))
    if directory < 0 { return nil }
    defer { close(directory) }
    let descriptor = baton_seqpacket_socket()
    if descriptor < 0 { return nil }
    defer { close(descriptor) }
    let short = "/proc/self/fd/\(directory)/\(path[path.index(after: slash)...])"
    guard baton_unix_connect(descriptor, short) == 0 else { return nil }
    var pid: Int32 = 0
    var user: UInt32 = 0
    var group: UInt32 = 0
    guard baton_peer_credentials(descriptor, &pid, &user, &group) == 0, pid > 0 else { return nil }
    return pid
  }
}

import DaemonRuntime
import Glibc
import Ground

/// What a service tells the manager that started it, such as systemd: one datagram for each line, to the socket that the
/// environment names. Without such a socket nothing is told.
struct ServiceManager {
  enum Line: String {
    case ready = "READY=1"
    case stopping = "STOPPING=1"
    case alive = "WATCHDOG=1"
  }

  private let path: String?
  /// The manager ends a service that has not said for so long that it is alive; nil: it does not watch.
  let watchdog: TimeSpan?

  init(_ environment: (String) -> String?) {
    path = environment("NOTIFY_SOCKET").flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
    let isForUs = environment("WATCHDOG_PID").map { $0 == "\(getpid())" } ?? true
    let microseconds = environment("WATCHDOG_USEC").flatMap(Int64.init)
    watchdog = microseconds.flatMap {
      isForUs && $0 > 0 && $0 <= .max / 1000 ? TimeSpan(nanoseconds: $0 * 1000) : nil
    }
  }

  /// A manager that does not listen must not end the service: what it is not told is its own loss.
  func tell(_ line: Line) {
    guard let path else { return }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // A leading @ stands for the zero of an abstract name, which has no terminating zero.
    let name = Array(path.utf8).enumerated().map { $0.offset == 0 && $0.element == 0x40 ? 0 : $0.element }
    guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let isAbstract = name.first == 0
    let length =
      (MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2) + name.count + (isAbstract ? 0 : 1)
    let text = Array(line.rawValue.utf8)
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, text, text.count, Int32(MSG_NOSIGNAL), $0, socklen_t(length))
      }
    }
  }
}

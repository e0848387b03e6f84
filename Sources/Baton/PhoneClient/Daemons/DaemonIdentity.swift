import Ground
import JSON
import DaemonRuntime
import Glibc

/// Whether the process that listens at a daemon's socket is that daemon. Asked before it is told to end, or ended: another
/// program of the same user may have come to listen there, and no phone may take that down.
struct DaemonIdentity {
  private static let patience = TimeSpan.seconds(5)

  let daemon: Daemon
  let phone: Phone

  /// Why nothing is done to that process, in a sentence; nil when it is the daemon.
  func objection(to process: WatchedProcess) -> String? {
    // Who speaks is known by its answer. Who hangs or is stopped has none, and is known by its program.
    switch answer {
    case true?: return nil
    case nil where Self.program(of: process) == daemon.rawValue: return nil
    default: break
    }
    return
      "process \(process.pid) listens on \(phone.socket(of: daemon)) and is no \(daemon.rawValue); end it yourself, or move the socket away"
  }

  /// Nil when there was none.
  private var answer: Bool? {
    do {
      let facts = try phone.askForJSON(daemon, ControlMessage("status"), timeout: Self.patience)
      return Self.isAnswer(facts, of: daemon)
    } catch ControlClientError.malformed { return false } catch ControlClientError.refused {
      return false
    } catch let failure as CommandFailure where failure.code == .bugOfOurs {
      // It spoke, and it was no JSON.
      return false
    } catch { return nil }
  }

  /// By what no other program says of itself.
  private static func isAnswer(_ facts: JSONValue, of daemon: Daemon) -> Bool {
    switch daemon {
    case .iosd: facts["home"]?.text != nil && facts["extension"] != nil
    case .lspd: facts["channel"]?.text != nil && facts["wallet_connected"]?.flag != nil
    }
  }

  /// What it runs, as the kernel says it; asked while we hold a descriptor of the process, so it is no later one's.
  private static func program(of process: WatchedProcess) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/\(process.pid)/exe", &buffer, buffer.count)
    guard length > 0, !process.hasEnded else { return nil }
    let path = String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
    let name = path.split(separator: "/").last ?? ""
    // So the kernel calls a program that was built anew since.
    return String(name.hasSuffix(" (deleted)") ? name.dropLast(10) : name)
  }
}

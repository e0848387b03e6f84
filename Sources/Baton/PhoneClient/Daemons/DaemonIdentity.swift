import Ground
import DaemonRuntime
import Glibc

/// Checks that the process on a daemon's socket is that daemon, before it is ended: another program of this user may
/// listen there.
struct DaemonIdentity {
  private static let timeout = TimeSpan.seconds(5)

  let daemon: Daemon
  let phone: Phone

  /// The running daemon; throws for another program on its socket, and for another phone's lspd.
  func process() throws(CommandFailure) -> WatchedProcess? {
    guard let process = WatchedProcess(listeningOn: phone.socket(of: daemon)) else { return nil }
    if let home = servedBy {
      throw CommandFailure(
        .notDone, "process \(process.pid) is the lspd of the phone in \(home); name that phone with --home")
    }
    if let why = objection(to: process), !process.hasEnded { throw CommandFailure(.notDone, why) }
    return process
  }

  /// Why the process is left alone; nil if it is the daemon.
  func objection(to process: WatchedProcess) -> String? {
    // By its answer, or by its program if it hangs or is stopped.
    switch answer {
    case true?: return nil
    case nil where Self.program(of: process) == daemon.rawValue: return nil
    default: break
    }
    return
      "process \(process.pid) listens on \(phone.socket(of: daemon)) but is not \(daemon.rawValue); end it yourself, or move the socket away"
  }

  /// The home of the phone whose lspd serves this phone too.
  var servedBy: String? {
    guard daemon == .lspd else { return nil }
    return (try? phone.askForJSON(daemon, ControlMessage("status"), timeout: Self.timeout))?["served_by"]?
      .text
  }

  /// Whether the answer is the daemon's; nil without an answer.
  private var answer: Bool? {
    do {
      let facts = try phone.askForJSON(daemon, ControlMessage("status"), timeout: Self.timeout)
      return Self.isAnswer(facts, of: daemon)
    } catch ControlClientError.malformed { return false } catch ControlClientError.refused {
      return false
    } catch let failure as CommandFailure where failure.code == .bugOfOurs {
      // The answer was not the expected JSON.
      return false
    } catch { return nil }
  }

  /// By members that only this daemon's status has.
  private static func isAnswer(_ facts: JSONValue, of daemon: Daemon) -> Bool {
    switch daemon {
    case .iosd: facts["home"]?.text != nil && facts["extension"] != nil
    case .lspd: facts["channel"]?.text != nil && facts["wallet_connected"]?.flag != nil
    }
  }

  /// The name of its program, from the kernel; `process` holds a pidfd, so the pid is not reused.
  private static func program(of process: WatchedProcess) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/\(process.pid)/exe", &buffer, buffer.count)
    guard length > 0, !process.hasEnded else { return nil }
    let path = String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
    let name = path.split(separator: "/").last ?? ""
    // The kernel's suffix if the program was rebuilt since.
    return String(name.hasSuffix(" (deleted)") ? name.dropLast(10) : name)
  }
}

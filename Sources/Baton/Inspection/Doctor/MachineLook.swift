import Ground
import DaemonRuntime
import Foundation
import Glibc
import Platform

/// Gathers the facts of this machine.
enum MachineLook {
  private static let programs = ["mainappd", "notifyextd", "notifyonlyd", "iosd", "lspd"]

  static var facts: MachineFacts {
    var facts = MachineFacts()
    facts.programs = programs.map { program("\(FilePath.ownDirectory)/\($0)") }
    facts.showsLocks = Kernel.locks() != nil
    facts.connectionsObstacle = ProcessSockets.obstacle.map { "\($0)" }
    facts.lockedBytesMax = limit(__RLIMIT_MEMLOCK)
    facts.filesMax = limit(RLIMIT_NOFILE)
    let named = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    facts.scratch = named.isEmpty ? "/tmp" : named
    if access(facts.scratch, W_OK | X_OK) == 0 { facts.scratchFreeBytes = freeBytes(of: facts.scratch) }
    return facts
  }

  private static func limit(_ which: __rlimit_resource) -> UInt64? {
    var limits = rlimit()
    guard getrlimit(__rlimit_resource_t(which.rawValue), &limits) == 0, limits.rlim_cur != rlim_t.max else {
      return nil
    }
    return UInt64(limits.rlim_cur)
  }

  static func freeBytes(of directory: String) -> UInt64? {
    var facts = statvfs()
    guard statvfs(directory, &facts) == 0 else { return nil }
    let (bytes, overflowed) = UInt64(facts.f_bavail).multipliedReportingOverflow(by: UInt64(facts.f_frsize))
    return overflowed ? .max : bytes
  }

  private static func program(_ path: String) -> MachineFacts.Program {
    guard FilePath.exists(path) else { return .init(path: path, state: .missing) }
    guard access(path, X_OK) == 0 else { return .init(path: path, state: .notExecutable) }
    return .init(path: path, state: start(path))
  }

  /// A program whose library is missing ends before its first line. The dynamic linker's words name the library.
  private static func start(_ path: String) -> MachineFacts.Program.State {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = ["--version"]
    process.standardOutput = pipe
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice
    do { try process.run() } catch { return .fails("\(error.localizedDescription)") }
    let said = (try? pipe.fileHandleForReading.readToEnd()) ?? nil
    process.waitUntilExit()
    if process.terminationReason == .exit && process.terminationStatus == 0 { return .starts }
    let lines = String(decoding: said ?? Data(), as: UTF8.self).split(separator: "\n")
    return .fails(lines.last.map { String($0).onOneLine } ?? "it ended with \(process.terminationStatus)")
  }
}

import CLinux
import DaemonRuntime
import Glibc

/// Starts a daemon that outlives this process: in its own session, with its output in `log`. Without a log it writes to
/// this terminal, in its own process group.
package enum DaemonStarter {
  package static func start(_ path: String, arguments: [String], log: String?) throws(CommandFailure)
    -> WatchedProcess
  {
    // Opened like every file of a phone: no link, no file of another user.
    let output: Int32?
    do throws(SystemError) {
      output = if let log { try PlainFile.open(log, O_WRONLY | O_CREAT | O_APPEND) } else { nil }
    } catch { throw CommandFailure(.cannotCreate, error.description) }
    defer { if let output { close(output) } }
    CrashTraces.withholdReports()
    // A daemon must not inherit descriptors: a caller may wait for the end of such a pipe.
    _ = baton_close_on_exec_from(3)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    if let output {
      posix_spawn_file_actions_adddup2(&actions, output, 1)
      posix_spawn_file_actions_adddup2(&actions, output, 2)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Signals blocked here must reach the daemon.
    var nothingBlocked = sigset_t()
    sigemptyset(&nothingBlocked)
    posix_spawnattr_setsigmask(&attributes, &nothingBlocked)
    var ignoredByUs = sigset_t()
    sigemptyset(&ignoredByUs)
    sigaddset(&ignoredByUs, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &ignoredByUs)
    // POSIX_SPAWN_SETSIGDEF, SETSIGMASK, SETSID and SETPGROUP of <spawn.h>, which are not imported. With a session or a
    // group of its own, a ^C in our terminal does not reach the daemon.
    posix_spawnattr_setflags(&attributes, 0x04 | 0x08 | (log == nil ? 0x02 : 0x80))
    var pid: pid_t = 0
    let code = withCStrings([path] + arguments) {
      posix_spawn(&pid, path, &actions, &attributes, $0, environ)
    }
    guard code == 0, let process = WatchedProcess(pid: pid) else {
      let trouble = code == 0 ? errno : code
      let isOurs = [EAGAIN, ENOMEM, EMFILE, ENFILE].contains(trouble)
      throw CommandFailure(
        isOurs ? .cannotCreate : .badConfiguration,
        ChildProcess.failure(toStart: path, code: trouble).description)
    }
    return process
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeMutableBufferPointer { body(UnsafePointer($0.baseAddress!)) }
  }
}

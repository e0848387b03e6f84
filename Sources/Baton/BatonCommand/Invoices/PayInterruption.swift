import DaemonRuntime
import Glibc

/// ^C while `pay` waits: prints that the payment continues without it.
enum PayInterruption {
  private static let sentence: StaticString =
    "baton: stopped waiting; the payment continues; while the wallet is offline the peer holds it, until the hold time is over; `baton logs` shows how it ends\n"
  private static let json: StaticString =
    #"{"error":{"code":"interrupted","exit":130,"message":"stopped waiting; the payment continues; while the wallet is offline the peer holds it, until the hold time is over; `baton logs` shows how it ends"}}"#

  /// A signal handler must not allocate: it writes static bytes only.
  static func handle(isJSON: Bool) {
    if isJSON {
      signal(SIGINT) { _ in PayInterruption.end(withJSON: true) }
    } else {
      signal(SIGINT) { _ in PayInterruption.end(withJSON: false) }
    }
  }

  private static func end(withJSON: Bool) {
    if withJSON {
      write(standardOutput, json.utf8Start, json.utf8CodeUnitCount)
      write(standardOutput, "\n", 1)
    }
    write(standardError, sentence.utf8Start, sentence.utf8CodeUnitCount)
    _exit(ExitCode.interrupted.rawValue)
  }
}

import DaemonRuntime
import Glibc

/// ^C while a payment is waited for: it says what becomes of the payment, which does not end with who waits for it.
enum PayInterruption {
  private static let sentence: StaticString =
    "baton: you stopped waiting, and the payment goes on: the peer holds it for the wallet until its time is over; `baton logs` says how it ends\n"
  private static let json: StaticString =
    #"{"error":{"code":"interrupted","exit":130,"message":"you stopped waiting, and the payment goes on: the peer holds it for the wallet until its time is over; `baton logs` says how it ends"}}"#

  /// In a handler nothing may be allocated: only bytes that are there already are written.
  static func heed(isJSON: Bool) {
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

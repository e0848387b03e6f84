import DaemonRuntime
import Glibc

/// ^C, SIGTERM and the like while `pay` waits: says that the payment continues without it.
enum PayInterruption {
  private static let advice: StaticString =
    "stopped waiting; the payment continues; while the wallet is offline the peer holds it, until the hold time is over; `baton list payments` shows how it ends"
  nonisolated(unsafe) private static var isJSON = false

  /// Called again for each attempt.
  static func handle(isJSON: Bool) {
    self.isJSON = isJSON
    for one in Interruption.handled { signal(one.rawValue) { PayInterruption.end(by: $0) } }
  }

  /// Nothing is under way.
  static func stop() { for one in Interruption.handled { signal(one.rawValue, SIG_DFL) } }

  /// A signal handler must not allocate.
  private static func end(by number: Int32) {
    if isJSON {
      put(#"{"error":{"code":"interrupted","exit":"#, to: standardOutput)
      let code = 128 + number
      var digits = (UInt8(48 + code / 100), UInt8(48 + code / 10 % 10), UInt8(48 + code % 10))
      _ = write(standardOutput, &digits, 3)
      put(#","message":""#, to: standardOutput)
      put(advice, to: standardOutput)
      put("\"}}\n", to: standardOutput)
    }
    put("baton: ", to: standardError)
    put(advice, to: standardError)
    put("\n", to: standardError)
    _exit(128 + number)
  }

  private static func put(_ text: StaticString, to file: Int32) {
    _ = write(file, text.utf8Start, text.utf8CodeUnitCount)
  }
}

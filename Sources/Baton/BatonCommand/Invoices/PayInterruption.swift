import DaemonRuntime
import Glibc
import PhoneClient
import Reports
import Terminal

/// ^C, SIGTERM and the like while `pay` waits: says that the payment continues without it, and leaves the sender's line.
enum PayInterruption {
  private static let advice: StaticString =
    "stopped waiting; the payment continues; while the wallet is offline the peer holds it, until the hold time is over; `baton payments` shows how it ends"
  nonisolated(unsafe) private static var isJSON = false
  nonisolated(unsafe) private static var journal: Int32 = -1
  /// One word, so that a signal sees the old line or the new one.
  nonisolated(unsafe) private static var line: UnsafeMutablePointer<CChar>?

  /// `row` is what the user will have been told. Called again once the payment has another attempt.
  static func handle(_ row: SenderRow, of phone: Phone, isJSON: Bool) {
    // The earlier line is not freed: a signal may be writing it.
    line = strdup("\(row.json)\n")
    self.isJSON = isJSON
    if journal < 0 { journal = SenderJournal(phone).openToAppend() ?? -1 }
    for one in Interruption.handled { signal(one.rawValue) { PayInterruption.end(by: $0) } }
  }

  /// Nothing is under way.
  static func stop() { for one in Interruption.handled { signal(one.rawValue, SIG_DFL) } }

  /// A signal handler must not allocate.
  private static func end(by number: Int32) {
    if journal >= 0, let line { _ = write(journal, line, strlen(line)) }
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

import DaemonRuntime
import Glibc
import Ground
import PhonePolicy

/// `baton pay --retry` as a process of its own, and what it has said.
final class RetryingSender {
  let number: Int
  private let process: WatchedProcess
  private let output: String

  init(
    of number: Int, _ invoice: PayableInvoice, by policy: String, holdSeconds: Int64, options: [String],
    on phone: Phone
  ) throws {
    self.number = number
    output = "\(phone.home)/sender-\(number).jsonl"
    // What an earlier payment of the invoice was told is over.
    unlink(output)
    process = try DaemonStarter.start(
      "\(FilePath.ownDirectory)/baton",
      arguments: [
        "--home", phone.home, "--json", "pay", invoice.text, "--retry", policy, "--hold-seconds",
        "\(holdSeconds)", "--seed", "\(number)",
      ] + options, log: output)
  }

  /// Nil while the process goes on.
  func scene() throws -> Scene.Sender {
    let hasEnded = process.hasEnded
    let lines = (SmallFile.read(output, limit: 65_536) ?? []).split(separator: 10)
    let documents = lines.compactMap { JSONValue(parsing: Array($0)) }
    guard hasEnded else {
      let begun = documents.compactMap { $0["attempt"]?.int }.max() ?? 0
      return Scene.Sender(number: number, attempts: Int(clamping: begun))
    }
    guard let last = documents.last, let attempts = last["attempts"]?.int, let state = last["state"]?.text
    else {
      throw Wait.Failure(
        description:
          "the sender of payment \(number) ended without an answer: \(lines.last.map { String(decoding: $0, as: UTF8.self) } ?? "")"
      )
    }
    return Scene.Sender(
      number: number, attempts: Int(clamping: attempts),
      state: ["settled", "pending"].contains(state) ? state : "failed",
      headline: last["headline"]?.text ?? state, text: last["text"]?.text ?? "", button: last["button"]?.text)
  }

  func end() {
    process.send(SIGTERM)
    _ = process.waitForEnd(within: .seconds(5))
    _ = process.reap()
  }
}

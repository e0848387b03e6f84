import DaemonRuntime
import Glibc
import Reports

/// What senders tell their users, one line in `lsp/senders.jsonl` for each payment, for the judge. Written before the user
/// reads it: a sender that is killed in between has told nothing.
package struct SenderJournal {
  private let path: String

  package init(_ phone: Phone) { path = "\(phone.lsp)/senders.jsonl" }

  /// Nil, or why there is no line. Without lspd's directory no payment has ever been sent, and there is no judge to read.
  @discardableResult
  package func append(_ row: SenderRow) -> String? {
    do throws(SystemError) {
      let descriptor = try PlainFile.openOwn(path, O_RDWR | O_APPEND | O_CREAT)
      defer { close(descriptor) }
      // In one piece: other senders write too, so that no torn line may be cut off again.
      let line = Array("\(Self.endsInLine(descriptor) ? "" : "\n")\(row.json)\n".utf8)
      let count = write(descriptor, line, line.count)
      if count < 0 { throw SystemError("write \(path)") }
      // Less than the line: the disk is full.
      guard count == line.count else { throw SystemError("write \(path)", code: ENOSPC) }
      return nil
    } catch {
      return error.code == ENOENT
        ? nil : "the judge will not know what this sender has told: \(error)"
    }
  }

  /// For a line that a signal handler writes; nil if there is no file to write.
  package func openToAppend() -> Int32? { try? PlainFile.openOwn(path, O_WRONLY | O_APPEND | O_CREAT) }

  private static func endsInLine(_ descriptor: Int32) -> Bool {
    let length = lseek(descriptor, 0, SEEK_END)
    var last = UInt8(ascii: "\n")
    return length == 0 || pread(descriptor, &last, 1, length - 1) != 1 || last == UInt8(ascii: "\n")
  }
}

extension SenderRow {
  package init(_ told: String, of invoice: PayableInvoice) {
    self.init(
      atNs: Clock.monotonicNow.nanoseconds, atWallNs: Clock().wallNanoseconds,
      paymentHash: invoice.paymentHash.hex, payee: invoice.payee.hex, amountMsat: invoice.amountMsat,
      told: told)
    boot = Journal.text(of: Clock().boot)
  }

  /// A payment of one request, or of one for each part.
  package init(
    _ told: String, of invoice: PayableInvoice, reason: String?, _ requests: [ControlMessage],
    inParts: Bool? = nil
  ) {
    self.init(told, of: invoice)
    self.reason = reason
    self.inParts = inParts
    attempts = requests.compactMap { $0["attempt-id"] }
  }
}

import DaemonRuntime
import Ground
import Guardrails
import SharedContainer
import Wallet
import WalletProcess

/// The report as text.
extension ContainerReport {
  /// Prints the last `rows` rows of each kind; nil for all.
  package func tell(_ output: Output, rows: Int?) {
    var facts: [(String, String)] = [
      ("container", "\(snapshot.directory) (\(snapshot.isLive ? "in use" : "not in use, or a copy"))"),
      ("id", snapshot.container.map(Self.hex) ?? "none"), ("schema", "\(snapshot.schemaVersion)"),
      ("holder", holderSentence),
    ]
    facts += ownerFacts
    facts += [
      ("intent", snapshot.appWantsNode ? "the app wants the node" : "none"),
      ("writer", snapshot.writer.map { "\($0)" } ?? "no process is inside a transaction"),
      ("writes", writesWords),
    ]
    output.facts(facts)
    section(
      "locks", output,
      [
        ("app.lock", words(snapshot.appLock)), ("extension.lock", words(snapshot.extensionLock)),
        ("app.intent", words(snapshot.appIntent)),
      ])
    section(
      "heartbeat", output,
      [
        ("app", words(snapshot.appBeat, of: .app)),
        ("extension", words(snapshot.extensionBeat, of: .extension)),
      ])
    tellClaims(output, rows)
    tellWallet(output, rows)
    tellSent(output, rows)
    tellSplices(output, rows)
    tellAnnounced(output, rows)
    tellProblems(output)
  }

  /// Reason and time of the last claim, and the owner's last beat.
  package var ownerFacts: [(String, String)] {
    guard let claim = snapshot.claims.last else { return [] }
    var facts = [
      ("epoch", "\(claim.row.epoch)"), ("claimed because", words(claim)),
      (
        "claimed",
        heldFor.map { "\(HumanText.span($0)) ago" } ?? WallClockText.write(claim.wallClockNanoseconds)
      ),
    ]
    if let beat = ownerBeat { facts.append(("phase", "\(beat.phase.word), last beat \(age(of: beat))")) }
    return facts
  }

  var writesWords: String {
    guard let last = snapshot.writes.last else { return "none" }
    return "\(snapshot.writes.count), the last under epoch \(last.epoch): \(WriteSentence.of(last.what))"
  }

  private func section(_ title: String, _ output: Output, _ rows: [(String, String)]) {
    output.say("\n\(output.paint(title, .bold))")
    output.facts(rows.map { ("  \($0.0)", $0.1) })
  }

  /// A section's title with the number of rows, as far as they were counted, and of those shown.
  private func title(_ what: String, shown: Int, of count: RowCount, also words: String? = nil) -> String {
    let number = HumanText.grouped(UInt64(max(0, count.number)))
    let isPart = !count.isExact || shown < count.number
    let parts = [
      count.isExact ? number : "more than \(number)", isPart ? "the last \(shown)" : nil,
      isPart ? nil : words,
    ]
    return "\(what) (\(parts.compactMap { $0 }.joined(separator: ", ")))"
  }

  private func last<Element>(_ rows: Int?, of all: [Element]) -> ArraySlice<Element> {
    rows.map { all.suffix($0) } ?? all[...]
  }

  private func tellClaims(_ output: Output, _ rows: Int?) {
    let shown = last(rows, of: snapshot.claims)
    let count = RowCount(Int64(snapshot.claims.count), isExact: !snapshot.hasOlderClaims)
    output.say("\n\(output.paint(title("claims", shown: shown.count, of: count), .bold))")
    if shown.isEmpty { return output.say("  none") }
    output.table(
      [["  EPOCH", "WHO", "PID", "WHEN", "WHY"]]
        + shown.map { claim in
          [
            "  \(claim.row.epoch)", claim.row.role.processName, "\(claim.row.process.pid)",
            WallClockText.write(claim.wallClockNanoseconds), words(claim),
          ]
        })
  }

  private func tellWallet(_ output: Output, _ rows: Int?) {
    section(
      "channel", output,
      wallet.channels.isEmpty
        ? [("none yet", "")]
        : wallet.channels.flatMap { channel in
          [
            ("id", channel.id), ("balance", HumanText.amount(msat: channel.localMsat)),
            ("can receive", HumanText.amount(msat: channel.remoteMsat)), ("revision", "\(channel.revision)"),
            ("pending HTLCs", "\(channel.openHTLCs)"),
          ]
        })
    let open = wallet.invoices.filter(\.isOpen)
    section(
      invoicesTitle(open.count), output,
      last(rows, of: open).map { invoice in
        (
          invoice.amountMsat == Invoice.anyAmount ? "any amount" : HumanText.amount(msat: invoice.amountMsat),
          "\(invoice.paymentHash)\(invoice.text.isEmpty ? "" : "  \(invoice.text)")\(isExpired(invoice) ? "  (expired)" : "")"
        )
      })
    let received = last(rows, of: wallet.payments)
    section(
      title(
        "payments received", shown: received.count, of: wallet.count(of: "received_payments"),
        also: HumanText.amount(msat: wallet.receivedMsat)), output,
      received.map { payment in
        (
          HumanText.amount(msat: payment.amountMsat),
          "\(WallClockText.write(payment.wallNanoseconds))  under epoch \(payment.epoch)  \(payment.paymentHash)"
        )
      })
  }

  /// Open and paid are counted among the invoices that were read.
  private func invoicesTitle(_ open: Int) -> String {
    let read = wallet.invoices.count
    let count = wallet.count(of: "invoices")
    let paid = wallet.invoices.count(where: \.isPaid)
    let cancelled = read - open - paid
    if count.isExact && count.number == read {
      return "invoices (\(open) open, \(paid) paid\(cancelled == 0 ? "" : ", \(cancelled) cancelled"))"
    }
    let number = HumanText.grouped(UInt64(max(0, count.number)))
    return "invoices (\(count.isExact ? number : "more than \(number)"); of the last \(read), \(open) open)"
  }

  private func tellSent(_ output: Output, _ rows: Int?) {
    guard !wallet.sent.isEmpty else { return }
    let sent = last(rows, of: wallet.sent)
    section(
      title("payments sent", shown: sent.count, of: wallet.count(of: "outgoing_payments")), output,
      sent.map { payment in
        (
          HumanText.amount(msat: payment.amountMsat),
          "\(WallClockText.write(payment.begunWallNanoseconds))  \(payment.state)  \(payment.paymentHash)"
        )
      })
  }

  private func tellSplices(_ output: Output, _ rows: Int?) {
    guard !wallet.splices.isEmpty else { return }
    let splices = last(rows, of: wallet.splices)
    section(
      title("on chain", shown: splices.count, of: wallet.count(of: "splices")), output,
      splices.map { splice in
        (HumanText.amount(msat: splice.amountMsat), "\(splice.state)  \(splice.transaction)")
      })
  }

  private func tellAnnounced(_ output: Output, _ rows: Int?) {
    guard !announced.isEmpty else { return }
    let shown = last(rows, of: announced)
    section(
      title(
        "announced, not received", shown: shown.count, of: RowCount(Int64(announced.count), isExact: true)),
      output,
      shown.map { entry in
        let held = entry.record.isHeld ? "held" : "not held"
        let end = entry.record.holdEndsAt.map { " until \(WallClockText.write(Self.nanoseconds($0)))" } ?? ""
        return (
          HumanText.amount(msat: entry.record.amountMsat),
          "\(WallClockText.write(Self.nanoseconds(entry.arrivedAt)))  \(held)\(end)  \(entry.record.paymentHash.hex)"
        )
      })
  }

  /// A server may name any time.
  private static func nanoseconds(_ wallSeconds: Int64) -> Int64 {
    let (product, overflowed) = wallSeconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflowed ? (wallSeconds > 0 ? .max : .min) : product
  }

  private func tellProblems(_ output: Output) {
    output.say("\n\(output.paint("problems", .bold))")
    if !snapshot.hasCheckedPages {
      output.say("  not every page of the database was checked, as it is large; `--check` checks all")
    }
    if problems.isEmpty { output.say("  none found") }
    for problem in findings.worstFirst.problems {
      output.say("  \(output.paint(problem.sentence.onOneLine, .red))")
    }
    for finding in findings where finding.gravity == .note { output.say("  note: \(finding.sentence)") }
  }

  package static func hex(_ id: ContainerID) -> String { Hexadecimal.encode(id.bytes) }
}

/// What a write did, as text. An unknown code is shown as stored: other wallets have their own.
enum WriteSentence {
  static func of(_ code: String) -> String {
    WriteCode.read(code)?.map(words).joined(separator: ", ") ?? code
  }

  private static func words(_ part: WriteCode.Part, _ number: UInt64) -> String {
    let payments = HumanText.count(Int(clamping: number), "payment")
    return switch part {
    case .restored: "restored from the peer's backup"
    case .revision: "channel revision \(number)"
    case .invoice: "new invoice"
    case .cancelled: "invoice cancelled"
    case .received: "\(payments) received"
    case .offered: "\(HumanText.count(Int(clamping: number), "outgoing payment")) begun"
    case .ended: "\(HumanText.count(Int(clamping: number), "outgoing payment")) ended"
    case .waiting: number == 0 ? "no payment lacks parts any more" : "\(payments) with parts missing"
    case .failed: "channel failed by the peer"
    }
  }
}

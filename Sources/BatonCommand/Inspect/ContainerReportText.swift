import DaemonRuntime
import Guardrails
import Heartbeat
import SharedContainer

/// The report for people.
extension ContainerReport {
  func tell(_ output: Output, isFull: Bool) {
    var facts: [(String, String)] = [
      ("container", "\(snapshot.directory) (\(snapshot.isLive ? "in use" : "at rest, or a copy"))"),
      ("id", snapshot.container.map(Self.hex) ?? "none"), ("schema", "\(snapshot.schemaVersion)"),
      ("holder", holderSentence),
    ]
    facts += ownerFacts
    facts += [
      ("wish", snapshot.appWantsNode ? "the app wants the node" : "none"),
      ("writer", snapshot.writer.map { "\($0)" } ?? "nobody is inside a transaction"),
      ("writes", writesWords),
    ]
    output.facts(facts)
    section(
      "locks", output,
      [
        ("app.lock", words(snapshot.appLock)), ("extension.lock", words(snapshot.extensionLock)),
        ("app.wish", words(snapshot.appWish)),
      ])
    section(
      "heartbeat", output, [("app", words(snapshot.appBeat)), ("extension", words(snapshot.extensionBeat))])
    tellClaims(output, isFull: isFull)
    tellWallet(output, isFull: isFull)
    tellSent(output, isFull: isFull)
    tellSplices(output, isFull: isFull)
    tellProblems(output)
  }

  /// Why and since when, for whoever holds it now or did last.
  var ownerFacts: [(String, String)] {
    guard let claim = snapshot.claims.last else { return [] }
    var facts = [
      ("epoch", "\(claim.row.epoch)"), ("claimed because", claim.reason),
      (
        "claimed",
        heldFor.map { "\(HumanText.span($0)) ago" } ?? WallClockText.write(claim.wallClockNanoseconds)
      ),
    ]
    if let beat = ownerBeat { facts.append(("phase", "\(beat.phase.word), last beat \(age(of: beat))")) }
    return facts
  }

  private var writesWords: String {
    guard let last = snapshot.writes.last else { return "none" }
    return "\(snapshot.writes.count), the last under epoch \(last.epoch): \(last.what)"
  }

  private func section(_ title: String, _ output: Output, _ rows: [(String, String)]) {
    output.say("\n\(output.paint(title, .bold))")
    output.facts(rows.map { ("  \($0.0)", $0.1) })
  }

  private func tellClaims(_ output: Output, isFull: Bool) {
    let shown = isFull ? snapshot.claims[...] : snapshot.claims.suffix(10)
    let title =
      "claims (\(snapshot.claims.count)\(shown.count < snapshot.claims.count ? ", the last \(shown.count)" : ""))"
    output.say("\n\(output.paint(title, .bold))")
    if shown.isEmpty { return output.say("  none") }
    output.table(
      [["  EPOCH", "WHO", "PID", "WHEN", "WHY"]]
        + shown.map { claim in
          [
            "  \(claim.row.epoch)", claim.row.role.processName, "\(claim.row.process.pid)",
            WallClockText.write(claim.wallClockNanoseconds), claim.reason,
          ]
        })
  }

  private func tellWallet(_ output: Output, isFull: Bool) {
    section(
      "channel", output,
      wallet.channels.isEmpty
        ? [("none yet", "")]
        : wallet.channels.flatMap { channel in
          [
            ("id", channel.id), ("balance", HumanText.amount(msat: channel.localMsat)),
            ("can receive", HumanText.amount(msat: channel.remoteMsat)), ("revision", "\(channel.revision)"),
            ("payments under way", "\(channel.openHTLCs)"),
          ]
        })
    let open = wallet.invoices.filter { !$0.isPaid }
    section(
      "invoices (\(open.count) open, \(wallet.invoices.count - open.count) paid)", output,
      (isFull ? open[...] : open.suffix(10)).map { invoice in
        (
          HumanText.amount(msat: invoice.amountMsat),
          "\(invoice.paymentHash)\(invoice.text.isEmpty ? "" : "  \(invoice.text)")\(isExpired(invoice) ? "  (expired)" : "")"
        )
      })
    section(
      "payments received (\(wallet.payments.count), \(HumanText.amount(msat: wallet.receivedMsat)))", output,
      (isFull ? wallet.payments[...] : wallet.payments.suffix(10)).map { payment in
        (
          HumanText.amount(msat: payment.amountMsat),
          "\(WallClockText.write(payment.wallNanoseconds))  under epoch \(payment.epoch)  \(payment.paymentHash)"
        )
      })
  }

  private func tellSent(_ output: Output, isFull: Bool) {
    guard !wallet.sent.isEmpty else { return }
    section(
      "payments sent (\(wallet.sent.count))", output,
      (isFull ? wallet.sent[...] : wallet.sent.suffix(10)).map { payment in
        (
          HumanText.amount(msat: payment.amountMsat),
          "\(WallClockText.write(payment.begunWallNanoseconds))  \(payment.state)  \(payment.paymentHash)"
        )
      })
  }

  private func tellSplices(_ output: Output, isFull: Bool) {
    guard !wallet.splices.isEmpty else { return }
    section(
      "on chain (\(wallet.splices.count))", output,
      (isFull ? wallet.splices[...] : wallet.splices.suffix(10)).map { splice in
        (HumanText.amount(msat: splice.amountSat &* 1000), "\(splice.state)  \(splice.transaction)")
      })
  }

  private func tellProblems(_ output: Output) {
    output.say("\n\(output.paint("problems", .bold))")
    if problems.isEmpty { return output.say("  none found") }
    for problem in problems { output.say("  \(output.paint(problem.onOneLine, .red))") }
  }

  static func hex(_ id: ContainerID) -> String { word(id.high) + word(id.low) }

  private static func word(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

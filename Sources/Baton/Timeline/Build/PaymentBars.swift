import Ground

/// Payments from the sender's request until they have settled or failed.
struct PaymentBars: Sendable {
  private struct Bar: Sendable {
    var hash: Bytes32
    var words: String
    var row: Int
    var span: Int
    var asked: TimelineAnchor
    var offered: TimelineAnchor?
    /// Of the wallet's user, and not refused.
    var requests = 1
  }

  private var bars: [UInt64: Bar] = [:]
  private var sends: [Bytes32: Bar] = [:]

  mutating func take(_ fact: TimelineFact, by who: TimelineWho, _ sheet: inout Sheet) {
    switch fact {
    case .paymentAsked(let id, let hash, let words):
      close(id, .failed, "asked for again", &sheet)
      let row = sheet.takeRow(of: .payments)
      let span = sheet.begin(.asked, in: .payments, row: row, "\(words): asked for")
      bars[id] = Bar(hash: hash, words: words, row: row, span: span, asked: sheet.here)
      sheet.anchor("ledger payments \(id)")
    case .paymentHeld(let id): enter(.held, "held: the wallet is offline", id, &sheet)
    case .paymentOffered(let id):
      enter(.offered, "offered to the wallet", id, &sheet)
      bars[id]?.offered = sheet.here
    case .paymentSettled(let id): close(id, .settled, "settled", &sheet)
    case .paymentFailed(let id, let why): close(id, .failed, "failed: \(why)", &sheet)
    case .paymentReceived(let hash, let words):
      sheet.mark(.received, in: who, words)
      let same = bars.sorted { $0.key < $1.key }.map(\.value).filter { $0.hash == hash }
      guard let offered = same.compactMap(\.offered).last else { return }
      sheet.draw(
        .payment, from: TimelineEnd(who: .payments, at: offered), to: who,
        "\(words), \(TimeText.span(sheet.now - offered.at)) after the offer")
    case .sendBegun(let hash, let words):
      guard sends[hash] == nil else {
        sends[hash]?.requests += 1
        return
      }
      let row = sheet.takeRow(of: .payments)
      let span = sheet.begin(.sent, in: .payments, row: row, words)
      sends[hash] = Bar(hash: hash, words: words, row: row, span: span, asked: sheet.here)
      sheet.draw(.payment, from: TimelineEnd(who: who, at: sheet.here), to: .payments, words)
    case .sendRefused(let hash, let words):
      sends[hash]?.requests -= 1
      guard sends[hash]?.requests == 0, let bar = sends.removeValue(forKey: hash) else { return }
      finish(bar, .failed, words, &sheet)
    case .sendEnded(let hash, let isPaid, let words):
      guard let bar = sends.removeValue(forKey: hash) else { return }
      finish(bar, isPaid ? .settled : .failed, words, &sheet)
    default: break
    }
  }

  private mutating func enter(
    _ kind: TimelineSpan.Kind, _ words: String, _ id: UInt64, _ sheet: inout Sheet
  ) {
    guard let bar = bars[id], sheet.span(bar.span).kind != kind else { return }
    sheet.end(bar.span)
    bars[id]?.span = sheet.begin(kind, in: .payments, row: bar.row, "\(bar.words): \(words)")
  }

  private mutating func close(
    _ id: UInt64, _ kind: TimelineMark.Kind, _ words: String, _ sheet: inout Sheet
  ) {
    guard let bar = bars.removeValue(forKey: id) else { return }
    finish(bar, kind, words, &sheet)
  }

  private func finish(_ bar: Bar, _ kind: TimelineMark.Kind, _ words: String, _ sheet: inout Sheet) {
    sheet.end(bar.span)
    sheet.freeRow(bar.row, of: .payments)
    sheet.mark(kind, in: .payments, "\(bar.words): \(words) after \(TimeText.span(sheet.now - bar.asked.at))")
  }

  /// What has not ended goes on to the picture's end.
  mutating func finish(_ sheet: inout Sheet) {
    bars = [:]
    sends = [:]
  }
}

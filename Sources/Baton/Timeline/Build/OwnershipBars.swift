import Ground

/// Who holds the node: epochs, beats, silences, and the takeovers between them.
struct OwnershipBars: Sendable {
  /// Two beats of 2 s: a longer pause is shown.
  private static let silence = TimeSpan.seconds(4)

  private struct Hold: Sendable {
    var epoch: Epoch
    var span: Int
    var beat: TimelineAnchor
    /// Set once another process has claimed a higher epoch: since when, and the arrow to that claim.
    var supersededBy: (claim: TimelineAnchor, arrow: Int, epoch: Epoch)?
  }

  /// How the last owner's time ended.
  private struct Past: Sendable {
    var who: TimelineWho
    var epoch: Epoch
    var at: TimelineAnchor
    var words: String
  }

  private var holds: [TimelineWho: Hold] = [:]
  private var order: [TimelineWho] = []
  private var last: Past?
  private var reasons: [TimelineWho: (why: String, isSilent: Bool)] = [:]

  mutating func take(_ fact: TimelineFact, by who: TimelineWho, _ sheet: inout Sheet) {
    switch fact {
    case .claimAsked(let why, let isSilent): reasons[who] = (why, isSilent)
    case .claimed(let epoch, let why):
      let asked = reasons.removeValue(forKey: who) ?? ("", false)
      claim(epoch, why.isEmpty ? asked.why : why, ofSilent: asked.isSilent, by: who, &sheet)
    case .released(let epoch):
      guard let hold = holds[who], hold.epoch == epoch else { return }
      sheet.mark(.release, in: who, "released epoch \(epoch)")
      close(who, "released", &sheet)
    case .beat(let epoch, let phase, let counter):
      sheet.mark(.beat, in: who, "beat \(counter) of epoch \(epoch), \(phase)")
      guard let hold = holds[who], hold.epoch == epoch else { return }
      noteSilence(of: hold, in: who, &sheet)
      holds[who]?.beat = sheet.here
    case .fenced:
      sheet.mark(.fenced, in: who, "is fenced: another process holds the node")
      close(who, "fenced", &sheet)
    case .refused(let highest):
      sheet.mark(.refused, in: who, "is refused by the peer, whose highest epoch is \(highest)")
    default: break
    }
  }

  /// The process ended, perhaps with the node.
  mutating func lost(by who: TimelineWho, _ why: String, _ sheet: inout Sheet) {
    guard let hold = holds[who] else { return }
    guard let next = hold.supersededBy else { return close(who, why, &sheet) }
    // The next owner learnt of the death from the free lock, before the phone recorded it.
    holds[who] = nil
    let arrow = sheet.arrow(next.arrow)
    sheet.end(hold.span, at: next.claim.at, adding: "; \(why)")
    sheet.move(
      arrow: next.arrow, from: TimelineAnchor(at: arrow.to, record: sheet.record),
      label:
        "takeover of epoch \(hold.epoch) by epoch \(next.epoch): claimed \(TimeText.span(sheet.now - next.claim.at)) before the phone recorded the end (\(why))"
    )
  }

  mutating func finish(_ sheet: inout Sheet) {
    for who in order where holds[who]?.supersededBy != nil { supersede(who, &sheet, isOver: false) }
  }

  private mutating func claim(
    _ epoch: Epoch, _ why: String, ofSilent isSilent: Bool, by who: TimelineWho, _ sheet: inout Sheet
  ) {
    let raised = holds[who].map { $0.supersededBy == nil } ?? false
    if holds[who] != nil { close(who, "raised to epoch \(epoch)", &sheet) }
    let previous = order.last { $0 != who && holds[$0] != nil && holds[$0]?.supersededBy == nil }
    let reason = why.isEmpty ? "" : " (\(why))"
    if let previous, let hold = holds[previous] {
      noteSilence(of: hold, in: previous, isCertain: isSilent, &sheet)
      sheet.end(hold.span)
      let arrow = sheet.draw(
        .takeover, from: TimelineEnd(who: previous, at: hold.beat), to: who,
        "takeover of epoch \(hold.epoch) by epoch \(epoch): \(TimeText.span(sheet.now - hold.beat.at)) after its last beat\(reason)"
      )
      holds[previous]?.supersededBy = (sheet.here, arrow, epoch)
    } else if let last, !raised {
      sheet.draw(
        .takeover, from: TimelineEnd(who: last.who, at: last.at), to: who,
        "takeover of epoch \(last.epoch) by epoch \(epoch): \(TimeText.span(sheet.now - last.at.at)) after its end (\(last.words))\(reason)"
      )
    }
    sheet.mark(.claim, in: who, "claims epoch \(epoch)\(reason)")
    sheet.anchor("node.sqlite claims \(epoch)")
    let span = sheet.begin(.epoch, in: who, "epoch \(epoch)\(reason)", epoch: epoch)
    holds[who] = Hold(epoch: epoch, span: span, beat: sheet.here)
    order.removeAll { $0 == who }
    order.append(who)
  }

  private mutating func close(_ who: TimelineWho, _ why: String, _ sheet: inout Sheet) {
    guard let hold = holds[who] else { return }
    if hold.supersededBy != nil { return supersede(who, &sheet, isOver: true) }
    noteSilence(of: hold, in: who, &sheet)
    holds[who] = nil
    sheet.end(hold.span, adding: "; \(why)")
    last = Past(who: who, epoch: hold.epoch, at: sheet.here, words: why)
  }

  /// Draws the time in which an owner did not yet know that it was one no more.
  private mutating func supersede(_ who: TimelineWho, _ sheet: inout Sheet, isOver: Bool) {
    guard let hold = holds[who], let next = hold.supersededBy else { return }
    holds[who] = nil
    let span = sheet.begin(
      .superseded, in: who, "epoch \(hold.epoch) is superseded by epoch \(next.epoch)", epoch: hold.epoch,
      from: next.claim.at, record: next.claim.record)
    if isOver { sheet.end(span) }
  }

  /// `isCertain`: the next owner has watched it, perhaps by a shorter rule.
  private func noteSilence(
    of hold: Hold, in who: TimelineWho, isCertain: Bool = false, _ sheet: inout Sheet
  ) {
    let span = sheet.now - hold.beat.at
    guard isCertain || span > Self.silence else { return }
    let drawn = sheet.begin(
      .silent, in: who, "no beat of epoch \(hold.epoch) for \(TimeText.span(span))", from: hold.beat.at,
      record: hold.beat.record)
    sheet.end(drawn)
  }
}

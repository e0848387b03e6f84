import Ground

/// Pushes from the peer to the phone, to the process and back, and what the user sees.
struct PushPaths: Sendable {
  private struct Key: Hashable {
    var phone: TimelineWho
    var push: UInt64
  }

  private var asked: [Bool: [TimelineEnd]] = [:]
  private var open: [Key: (span: Int, row: Int)] = [:]
  private var given: [Key: TimelineEnd] = [:]
  private var contents: [Key: TimelineEnd] = [:]

  mutating func take(_ fact: TimelineFact, by who: TimelineWho, _ sheet: inout Sheet) {
    let here = TimelineEnd(who: who, at: sheet.here)
    let phone = TimelineWho.phone(device: who.device)
    switch fact {
    case .pushAsked(let isSilent): asked[isSilent, default: []].append(here)
    case .pushArrived(let push, let isSilent):
      sheet.mark(.push, in: who, "push \(push)\(isSilent ? " (silent)" : "") arrives")
      let row = sheet.takeRow(of: who)
      open[Key(phone: phone, push: push)] = (sheet.begin(.push, in: who, row: row, "push \(push)"), row)
      guard let origin = asked[isSilent]?.first else { return }
      asked[isSilent]?.removeFirst()
      sheet.draw(.push, from: origin, to: who, "push \(push), \(TimeText.span(sheet.now - origin.at.at))")
    case .pushGiven(_, let push): given[Key(phone: phone, push: push)] = here
    case .pushHeard(let push):
      guard let origin = given.removeValue(forKey: Key(phone: phone, push: push)) else { return }
      sheet.draw(.push, from: origin, to: who, "push \(push), \(TimeText.span(sheet.now - origin.at.at))")
    case .contentGiven(let push): contents[Key(phone: phone, push: push)] = here
    case .contentArrived(let push):
      guard let origin = contents.removeValue(forKey: Key(phone: phone, push: push)) else { return }
      sheet.draw(
        .content, from: origin, to: who,
        "the notification's text for push \(push), \(TimeText.span(sheet.now - origin.at.at))")
    case .pushFate(let push, let isEnd, let words):
      if isEnd { end(Key(phone: phone, push: push), words, in: who, &sheet) }
    case .notified(let words, let push):
      sheet.mark(.notification, in: who, "the user sees \(words)")
      if let push { end(Key(phone: phone, push: push), "shown", in: who, &sheet) }
    default: break
    }
  }

  private mutating func end(_ key: Key, _ words: String, in who: TimelineWho, _ sheet: inout Sheet) {
    guard let span = open.removeValue(forKey: key) else { return }
    sheet.end(span.span, adding: ": \(words)")
    sheet.freeRow(span.row, of: who)
  }

  /// A push whose fate is unknown is drawn as an instant.
  mutating func finish(_ sheet: inout Sheet) {
    for (span, _) in open.sorted(by: { $0.key.push < $1.key.push }).map(\.value) {
      sheet.end(span, at: sheet.span(span).from)
    }
  }
}

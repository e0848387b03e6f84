import Ground

/// Draws a run from its records, in their merged order. Its parts each know one kind of thing.
package struct TimelineBuilder: Sendable {
  var sheet = Sheet()
  var lives = Lives()
  var ownership = OwnershipBars()
  var wires = WireArrows()
  var pushes = PushPaths()
  var payments = PaymentBars()
  var presence = PresenceArrows()
  private var start: Instant?
  private var startWall: Int64?
  private var violations: [TimelineFinding] = []

  /// The records so far.
  package var count: Int { sheet.records.count }

  /// Names a lane after the process that writes in it.
  package mutating func name(_ who: TimelineWho, _ name: String) { sheet.name(who, name) }

  package mutating func take(
    _ record: TimelineRecord, by who: TimelineWho, _ facts: [TimelineFact], wall: Int64? = nil
  ) {
    if start == nil { (start, startWall) = (record.at, wall) }
    sheet.write(record, in: who)
    for fact in facts { take(fact, by: who) }
  }

  package mutating func finish(title: String) -> Timeline {
    lives.finish(&sheet, &ownership)
    pushes.finish(&sheet)
    payments.finish(&sheet)
    wires.finish(&sheet)
    return sheet.timeline(
      title: title, start: start ?? Instant(nanoseconds: 0), startWall: startWall, findings: violations)
  }

  private mutating func take(_ fact: TimelineFact, by who: TimelineWho) {
    switch fact {
    case .launched, .started, .processStarted, .ends, .processEnded, .killOrdered, .suspended, .resumed,
      .frozen,
      .thawed:
      lives.take(fact, by: who, &sheet, &ownership)
      switch fact {
      case .started: presence.begin(who)
      case .processStarted(let role, _): presence.begin(.wallet(role, device: who.device))
      default: break
      }
    case .claimAsked, .claimed, .released, .beat, .fenced, .refused:
      ownership.take(fact, by: who, &sheet)
      wires.note(fact, by: who)
    case .said, .heard: presence.take(fact, by: who, &sheet)
    case .dialled, .sent, .received, .connectionOpened, .connectionJudged, .connectionClosed, .peerReceived,
      .peerSent:
      wires.take(fact, by: who, &sheet)
    case .pushAsked, .pushArrived, .pushGiven, .pushHeard, .contentGiven, .contentArrived, .pushFate,
      .notified:
      pushes.take(fact, by: who, &sheet)
    case .userDid(let words): sheet.mark(.user, in: who, words)
    case .fault(let words): sheet.mark(.fault, in: who, words)
    case .paymentAsked, .paymentHeld, .paymentOffered, .paymentSettled, .paymentFailed, .paymentReceived,
      .sendBegun, .sendEnded, .sendRefused:
      payments.take(fact, by: who, &sheet)
    case .violated(let title, let sentence):
      sheet.mark(.violation, in: who, sentence)
      violations.append(
        TimelineFinding(title: title, sentence: sentence, anchor: sheet.here))
    }
  }
}

/// Presence messages between the two processes of a phone. A message that nobody hears has no arrow.
struct PresenceArrows: Sendable {
  /// A datagram on one machine takes no longer.
  private static let longest = TimeSpan.seconds(10)
  private struct Key: Hashable {
    var who: TimelineWho
    var words: String
  }

  private var waiting: [Key: [TimelineAnchor]] = [:]

  /// A process that has just started hears nothing that was said before.
  mutating func begin(_ who: TimelineWho) {
    guard case .wallet(let role, let device) = who else { return }
    let speaker = TimelineWho.wallet(role == .app ? .extension : .app, device: device)
    let stale = waiting.keys.filter { $0.who == speaker }.sorted { $0.words < $1.words }
    for key in stale { waiting[key] = nil }
  }

  mutating func take(_ fact: TimelineFact, by who: TimelineWho, _ sheet: inout Sheet) {
    switch fact {
    case .said(let words): waiting[Key(who: who, words: words), default: []].append(sheet.here)
    case .heard(let words):
      guard case .wallet(let role, let device) = who else { return }
      let speaker = TimelineWho.wallet(role == .app ? .extension : .app, device: device)
      let key = Key(who: speaker, words: words)
      let earliest = sheet.now + TimeSpan(nanoseconds: -Self.longest.nanoseconds)
      waiting[key]?.removeAll { $0.at < earliest }
      guard let said = waiting[key]?.first else { return }
      waiting[key]?.removeFirst()
      sheet.draw(
        .presence, from: TimelineEnd(who: speaker, at: said), to: who,
        "\(words), \(TimeText.span(sheet.now - said.at))")
    default: break
    }
  }
}

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

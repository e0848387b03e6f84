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

  package init() {}

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

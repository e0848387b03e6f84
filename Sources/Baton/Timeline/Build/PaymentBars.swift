import Ground
import Guardrails
import Lightning
import LightningProvider
import Simulation
import Wallet

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

  mutating func take(_ said: Said, by who: TimelineWho, _ sheet: inout Sheet) {
    switch said {
    case .core(.peer(let event, let directives)):
      if case .payRequested(let request) = event { asked(request, &sheet) }
      for directive in directives {
        switch directive {
        case .store(let changes):
          for case .paymentOffered(let id, _) in changes { offered(id, &sheet) }
        case .answer(let id, .held): enter(.held, "held: the wallet is offline", id, &sheet)
        case .answer(let id, .offered): offered(id, &sheet)
        case .answer(let id, .settled): close(id, .settled, "settled", &sheet)
        case .answer(let id, .failed(let failure)): close(id, .failed, "failed: \(failure.word)", &sheet)
        default: break
        }
      }
    case .core(.wallet(_, .guardrail(.node(.received(let payment)), _))): received(payment, by: who, &sheet)
    case .core(.wallet(_, .node(let event, let directives))):
      if case .payRequested(let payment, _) = event { begin(payment, by: who, &sheet) }
      for directive in directives {
        switch directive {
        case .paymentRefused(let hash, .unknown): end(hash, .failed, "the outcome is unknown", &sheet)
        case .paymentRefused(let hash, _): refuse(hash, &sheet)
        case .paymentEnded(let ended):
          let hash = ended.payment.paymentHash
          switch ended.end {
          case .paid: end(hash, .settled, "paid", &sheet)
          case .failed(let code): end(hash, .failed, "failed with \(FailureCode(rawValue: code))", &sheet)
          }
        default: break
        }
      }
    default: break
    }
  }

  // MARK: Incoming payments

  private mutating func asked(_ request: PaymentRequest, _ sheet: inout Sheet) {
    let id = request.id
    close(id, .failed, "asked for again", &sheet)
    let attempt = request.attempt.map { ", attempt \($0)" } ?? ""
    let words = "payment \(id), \(HumanText.amount(msat: request.amountMsat))\(attempt)"
    let row = sheet.takeRow(of: .payments)
    let span = sheet.begin(.asked, in: .payments, row: row, "\(words): asked for")
    bars[id] = Bar(hash: request.paymentHash, words: words, row: row, span: span, asked: sheet.here)
    sheet.anchor("ledger payments \(id)")
  }

  private mutating func offered(_ id: UInt64, _ sheet: inout Sheet) {
    enter(.offered, "offered to the wallet", id, &sheet)
    bars[id]?.offered = sheet.here
  }

  private func received(_ payment: ReceivedPayment, by who: TimelineWho, _ sheet: inout Sheet) {
    let words = "received \(HumanText.amount(msat: payment.amountMsat))"
    sheet.mark(.received, in: who, words)
    let same = bars.sorted { $0.key < $1.key }.map(\.value).filter { $0.hash == payment.paymentHash }
    guard let offered = same.compactMap(\.offered).last else { return }
    sheet.draw(
      .payment, from: TimelineEnd(who: .payments, at: offered), to: who,
      "\(words), \(TimeText.span(sheet.now - offered.at)) after the offer")
  }

  // MARK: The wallet's payments

  private mutating func begin(_ payment: OutgoingPayment, by who: TimelineWho, _ sheet: inout Sheet) {
    let hash = payment.paymentHash
    guard sends[hash] == nil else {
      sends[hash]?.requests += 1
      return
    }
    let words = "the wallet pays \(HumanText.amount(msat: payment.amountMsat))"
    let row = sheet.takeRow(of: .payments)
    let span = sheet.begin(.sent, in: .payments, row: row, words)
    sends[hash] = Bar(hash: hash, words: words, row: row, span: span, asked: sheet.here)
    sheet.draw(.payment, from: TimelineEnd(who: who, at: sheet.here), to: .payments, words)
  }

  /// This request has begun nothing; an earlier one of the same hash may be under way.
  private mutating func refuse(_ hash: Bytes32, _ sheet: inout Sheet) {
    sends[hash]?.requests -= 1
    if sends[hash]?.requests == 0 { end(hash, .failed, "refused", &sheet) }
  }

  private mutating func end(
    _ hash: Bytes32, _ kind: TimelineMark.Kind, _ words: String, _ sheet: inout Sheet
  ) {
    if let bar = sends.removeValue(forKey: hash) { finish(bar, kind, words, &sheet) }
  }

  // MARK: Bars

  private mutating func enter(_ kind: TimelineSpan.Kind, _ words: String, _ id: UInt64, _ sheet: inout Sheet)
  {
    guard let bar = bars[id], sheet.span(bar.span).kind != kind else { return }
    sheet.end(bar.span)
    bars[id]?.span = sheet.begin(kind, in: .payments, row: bar.row, "\(bar.words): \(words)")
  }

  private mutating func close(_ id: UInt64, _ kind: TimelineMark.Kind, _ words: String, _ sheet: inout Sheet)
  {
    guard let bar = bars.removeValue(forKey: id) else { return }
    finish(bar, kind, words, &sheet)
  }

  private func finish(_ bar: Bar, _ kind: TimelineMark.Kind, _ words: String, _ sheet: inout Sheet) {
    sheet.end(bar.span)
    sheet.freeRow(bar.row, of: .payments)
    sheet.mark(kind, in: .payments, "\(bar.words): \(words) after \(TimeText.span(sheet.now - bar.asked.at))")
  }
}

/// Connections at the peer, and the messages on them. The wallet's journal does not know the peer's number of its
/// connection, so the two sides are joined by the epoch that the connection names.
struct WireArrows: Sendable {
  private struct Passed: Sendable {
    var name: String
    var at: TimelineAnchor
  }

  private struct Dial: Sendable {
    var who: TimelineWho
    var epoch: Epoch
    var at: TimelineAnchor
    var sent: [Passed] = []
    var received: [Passed] = []
  }

  private struct DrawnConnection: Sendable {
    var span: Int
    var row: Int
    var opened: TimelineAnchor
    var epoch: Epoch?
    var received: [Passed] = []
    var sent: [Passed] = []
  }

  /// Under which a process dials.
  private var epochs: [TimelineWho: Epoch] = [:]
  private var dials: [Dial] = []
  private var current: [TimelineWho: Int] = [:]
  private var connections: [DrawnConnection] = []
  private var numbers: [UInt64: Int] = [:]
  /// The last word of the peer: a killed one does not say that its connections are closed.
  private var peerWasThere: Instant?

  mutating func take(_ said: Said, by who: TimelineWho, _ sheet: inout Sheet) {
    defer { if who == .peer { peerWasThere = sheet.now } }
    func passed(_ name: String) -> Passed { Passed(name: name, at: sheet.here) }
    switch said {
    case .core(.wallet(_, .guardrail(.claimed(let claim), _))): epochs[who] = claim.epoch
    case .core(.wallet(_, .node(let event, let directives))):
      if let name = event.arrivedName, let dial = current[who] { dials[dial].received.append(passed(name)) }
      for directive in directives {
        switch directive {
        case .dial:
          dials.append(Dial(who: who, epoch: epochs[who] ?? 0, at: sheet.here))
          current[who] = dials.count - 1
        case .send(let messages):
          if let dial = current[who] { dials[dial].sent += messages.map { passed($0.name) } }
        default: break
        }
      }
    case .core(.peer(let event, let directives)):
      switch event {
      case .connected(let id, _):
        let row = sheet.takeRow(of: who)
        let span = sheet.begin(.connection, in: who, row: row, "connection \(id)")
        connections.append(DrawnConnection(span: span, row: row, opened: sheet.here))
        numbers[id] = connections.count - 1
        sheet.anchor("ledger connections \(id)")
      case .received(let id, let message):
        if let place = numbers[id] { connections[place].received.append(passed(message.name)) }
      case .closed(let id, let why): close(id, why, in: who, &sheet)
      default: break
      }
      for directive in directives {
        switch directive {
        case .store(let changes):
          for case .connectionJudged(let id, let verdict, let claim) in changes {
            judge(id, verdict, claim?.epoch, in: who, &sheet)
          }
        case .send(let id, let message):
          if let place = numbers[id] { connections[place].sent.append(passed(message.name)) }
        case .close(let id, let why), .evict(let id, let why): close(id, why, in: who, &sheet)
        default: break
        }
      }
    case .peerStarted:
      for id in numbers.keys.sorted() { close(id, "lspd ended", in: who, &sheet, at: peerWasThere) }
    default: break
    }
  }

  private mutating func judge(
    _ id: UInt64, _ verdict: ConnectionVerdict, _ epoch: Epoch?, in who: TimelineWho, _ sheet: inout Sheet
  ) {
    guard let place = numbers[id] else { return }
    if let epoch {
      connections[place].epoch = epoch
      sheet.setEpoch(epoch, of: connections[place].span)
    }
    if ![.accepted, .unfenced, .visitor].contains(verdict) {
      sheet.mark(.refused, in: who, "connection \(id): \(PeerSentences.words(verdict))")
    }
  }

  private mutating func close(
    _ id: UInt64, _ why: String, in who: TimelineWho, _ sheet: inout Sheet, at end: Instant? = nil
  ) {
    guard let place = numbers.removeValue(forKey: id) else { return }
    sheet.end(connections[place].span, at: end, adding: ": \(why)")
    sheet.freeRow(connections[place].row, of: who)
  }

  mutating func finish(_ sheet: inout Sheet) {
    for connection in connections {
      guard let epoch = connection.epoch,
        let dial = dials.last(where: { $0.epoch == epoch && $0.at.at <= connection.opened.at })
      else { continue }
      join(dial.sent, from: dial.who, connection.received, to: .peer, &sheet)
      join(connection.sent, from: .peer, dial.received, to: dial.who, &sheet)
    }
  }

  /// Both lists are in the connection's order; what is missing in one of them has no arrow.
  private func join(
    _ sent: [Passed], from: TimelineWho, _ received: [Passed], to: TimelineWho, _ sheet: inout Sheet
  ) {
    var next = 0
    for message in received {
      guard
        let place = sent[next...].firstIndex(where: { $0.name == message.name && $0.at.at <= message.at.at })
      else { continue }
      next = place + 1
      let span = TimeText.span(message.at.at - sent[place].at.at)
      sheet.draw(
        .wire, from: TimelineEnd(who: from, at: sent[place].at), to: to,
        "\(message.name), \(span)", message.at)
    }
  }
}

extension NodeEvent {
  /// Of the message that arrived.
  fileprivate var arrivedName: String? {
    switch self {
    case .received(let message): message.name
    case .backupReceived: Message.peerStorageRetrieval([]).name
    default: nil
    }
  }
}

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
  private var reasons: [TimelineWho: ClaimReason] = [:]

  mutating func take(_ said: Said, by who: TimelineWho, _ sheet: inout Sheet) {
    guard case .core(.wallet(_, .guardrail(let event, let directives))) = said else { return }
    switch event {
    case .claimed(let claimed):
      let asked = reasons.removeValue(forKey: who)
      claim(claimed.epoch, asked?.sentence ?? "", ofSilent: asked == .holderStale, by: who, &sheet)
    case .node(.fenced):
      sheet.mark(.fenced, in: who, "is fenced: another process holds the node")
      close(who, "fenced", &sheet)
    case .node(.refused(let highest, _)):
      sheet.mark(.refused, in: who, "is refused by the peer, whose highest epoch is \(highest)")
    default: break
    }
    for directive in directives {
      switch directive {
      case .container(.claim(_, let reason)): reasons[who] = reason
      case .container(.beat(let epoch, .released, _)):
        guard holds[who]?.epoch == epoch else { continue }
        sheet.mark(.release, in: who, "released epoch \(epoch)")
        close(who, "released", &sheet)
      case .container(.beat(let epoch, let phase, let counter)):
        sheet.mark(.beat, in: who, "beat \(counter) of epoch \(epoch), \(phase)")
        guard let hold = holds[who], hold.epoch == epoch else { continue }
        noteSilence(of: hold, in: who, &sheet)
        holds[who]?.beat = sheet.here
      default: break
      }
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
  private func noteSilence(of hold: Hold, in who: TimelineWho, isCertain: Bool = false, _ sheet: inout Sheet)
  {
    let span = sheet.now - hold.beat.at
    guard isCertain || span > Self.silence else { return }
    let drawn = sheet.begin(
      .silent, in: who, "no beat of epoch \(hold.epoch) for \(TimeText.span(span))", from: hold.beat.at,
      record: hold.beat.record)
    sheet.end(drawn)
  }
}

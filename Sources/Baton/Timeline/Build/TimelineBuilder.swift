import Ground
import Guardrails
import LightningProvider
import PhonePolicy
import Simulation

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
    _ record: TimelineRecord, by who: TimelineWho, _ said: [Said], wall: Int64? = nil
  ) {
    if start == nil { (start, startWall) = (record.at, wall) }
    sheet.write(record, in: who)
    for said in said { take(said, by: who) }
  }

  package mutating func finish(title: String) -> Timeline {
    ownership.finish(&sheet)
    pushes.finish(&sheet)
    wires.finish(&sheet)
    return sheet.timeline(
      title: title, start: start ?? Instant(nanoseconds: 0), startWall: startWall, findings: violations)
  }

  /// Each part draws what it knows of.
  private mutating func take(_ said: Said, by who: TimelineWho) {
    lives.take(said, by: who, &sheet, &ownership)
    ownership.take(said, by: who, &sheet)
    presence.take(said, by: who, &sheet)
    wires.take(said, by: who, &sheet)
    pushes.take(said, by: who, &sheet)
    payments.take(said, by: who, &sheet)
    switch said {
    case .core(.phone(let event, _)) where event.isOfUser:
      if let sentence = PhoneSentences.of(event) { sheet.mark(.user, in: who, sentence.text) }
    case .move(let move):
      if let kind = move.mark, let words = MoveSentences.of(move) { sheet.mark(kind, in: who, words) }
    case .violation(let found):
      sheet.mark(.violation, in: who, found.sentence)
      violations.append(
        TimelineFinding(title: found.invariant.sentence, sentence: found.sentence, anchor: sheet.here))
    default: break
    }
  }
}

extension PhoneEvent {
  fileprivate var isOfUser: Bool {
    switch self {
    case .userOpened, .userWentHome, .userQuit, .deviceChanged, .rebooted, .notificationTouched, .linkOpened:
      true
    default: false
    }
  }
}

extension Move {
  /// The user's other actions show in the phone's lane; faults have no other record.
  fileprivate var mark: TimelineMark.Kind? {
    switch self {
    case .freeze, .freezeInside, .thaw: nil
    case .send, .cancel, .withdraw, .beginTask, .endTask, .takeOtherDevice, .askToMove: .user
    default: .fault
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
  private mutating func begin(_ who: TimelineWho) {
    guard case .wallet(let role, let device) = who else { return }
    let speaker = TimelineWho.wallet(role == .app ? .extension : .app, device: device)
    let stale = waiting.keys.filter { $0.who == speaker }.sorted { $0.words < $1.words }
    for key in stale { waiting[key] = nil }
  }

  mutating func take(_ said: Said, by who: TimelineWho, _ sheet: inout Sheet) {
    switch said {
    case .started: begin(who)
    case .core(.phone(.processStarted(let role, _), _)): begin(.wallet(role, device: who.device))
    case .core(.wallet(_, .guardrail(let event, let directives))):
      if case .presenceHeard(let message) = event { heard(Self.words(message), by: who, &sheet) }
      for case .phone(.say(let message)) in directives {
        waiting[Key(who: who, words: Self.words(message)), default: []].append(sheet.here)
      }
    default: break
    }
  }

  private mutating func heard(_ words: String, by who: TimelineWho, _ sheet: inout Sheet) {
    guard case .wallet(let role, let device) = who else { return }
    let speaker = TimelineWho.wallet(role == .app ? .extension : .app, device: device)
    let key = Key(who: speaker, words: words)
    let earliest = sheet.now + TimeSpan(nanoseconds: -Self.longest.nanoseconds)
    waiting[key]?.removeAll { $0.at < earliest }
    guard let said = waiting[key]?.first else { return }
    waiting[key]?.removeFirst()
    sheet.draw(.presence, TimelineEnd(who: speaker, at: said), to: who, words)
  }

  private static func words(_ message: PresenceMessage) -> String {
    var words = ["presence: \(message.code.kind)"]
    if message.wantsNode { words.append("wants the node") }
    if message.asksForHandover { words.append("asks for a handover") }
    if let epoch = message.released { words.append("released epoch \(epoch)") }
    return words.joined(separator: ", ")
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

  mutating func take(_ said: Said, by who: TimelineWho, _ sheet: inout Sheet) {
    func here() -> TimelineEnd { TimelineEnd(who: who, at: sheet.here) }
    func key(_ push: UInt64) -> Key { Key(phone: .phone(device: who.device), push: push) }
    switch said {
    case .core(.peer(_, let directives)):
      for case .requestPush(let push) in directives {
        asked[push.kind == .silent, default: []].append(here())
      }
    case .core(.phone(let event, let directives)):
      switch event {
      case .pushArrived(let push): arrived(push, key(push.id), by: who, &sheet)
      case .contentDelivered(let push, _, _):
        let words = "the notification's text for push \(push)"
        if let from = contents.removeValue(forKey: key(push)) { sheet.draw(.content, from, to: who, words) }
      default: break
      }
      for directive in directives {
        switch directive {
        case .tell(_, .push(let push, _, _, _)): given[key(push)] = here()
        case .recordFate(let push, let fate): if fate.isEnd { end(key(push), "\(fate)", in: who, &sheet) }
        case .show(let notification):
          sheet.mark(.notification, in: who, "the user sees \(PhoneSentences.words(notification.text))")
          if let push = notification.push { end(key(push), "shown", in: who, &sheet) }
        default: break
        }
      }
    case .core(.wallet(_, .guardrail(let event, let directives))):
      switch event {
      case .pushArrived(let push), .silentPushArrived(let push):
        if let from = given.removeValue(forKey: key(push.id)) {
          sheet.draw(.push, from, to: who, "push \(push.id)")
        }
      default: break
      }
      for case .phone(.deliver(let push, _)) in directives { contents[key(push)] = here() }
    default: break
    }
  }

  private mutating func arrived(_ push: PhonePush, _ key: Key, by who: TimelineWho, _ sheet: inout Sheet) {
    sheet.mark(.push, in: who, "push \(push.id)\(push.isSilent ? " (silent)" : "") arrives")
    let row = sheet.takeRow(of: who)
    open[key] = (sheet.begin(.push, in: who, row: row, "push \(push.id)"), row)
    guard let origin = asked[push.isSilent]?.first else { return }
    asked[push.isSilent]?.removeFirst()
    sheet.draw(.push, origin, to: who, "push \(push.id)")
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

extension PushFate {
  /// A push that is held or given to a process is still on its way.
  fileprivate var isEnd: Bool { code != .held && code != .late }
}

/// The wallet's processes: starts, ends, suspensions.
struct Lives: Sendable {
  private struct Life: Sendable {
    var span: Int
    var pid: Int32
    var hasSaidStart = false
    var suspended: Int?
    var frozen: Int?
    /// The phone's order to kill it.
    var kill: TimelineEnd?
  }

  private var lives: [TimelineWho: Life] = [:]
  private var launches: [TimelineWho: (at: TimelineEnd, why: String)] = [:]

  mutating func take(
    _ said: Said, by who: TimelineWho, _ sheet: inout Sheet, _ ownership: inout OwnershipBars
  ) {
    let wallet = { (role: Role) in TimelineWho.wallet(role, device: who.device) }
    switch said {
    case .started(_, let pid): start(who, pid, isOwnWord: true, &sheet, &ownership)
    case .ended(_, let why): end(who, .end, why, &sheet, &ownership)
    case .move(.freeze(let role)), .move(.freezeInside(let role)):
      guard let life = lives[wallet(role)], life.frozen == nil else { return }
      lives[wallet(role)]?.frozen = sheet.begin(.frozen, in: wallet(role), "frozen")
      sheet.mark(.fault, in: wallet(role), "is frozen")
    case .move(.thaw(let role)):
      if let span = lives[wallet(role)]?.frozen { sheet.end(span) }
      lives[wallet(role)]?.frozen = nil
    case .core(.phone(let event, let directives)):
      if case .processStarted(let role, let pid) = event {
        start(wallet(role), pid, isOwnWord: false, &sheet, &ownership)
      }
      for directive in directives {
        switch directive {
        case .launch(let role, let why):
          launches[wallet(role)] = (TimelineEnd(who: who, at: sheet.here), "\(why)")
        case .kill(let role, _): lives[wallet(role)]?.kill = TimelineEnd(who: who, at: sheet.here)
        case .suspend(let role):
          guard let life = lives[wallet(role)], life.suspended == nil else { continue }
          lives[wallet(role)]?.suspended = sheet.begin(.suspended, in: wallet(role), "suspended")
        case .resume(let role):
          if let span = lives[wallet(role)]?.suspended { sheet.end(span) }
          lives[wallet(role)]?.suspended = nil
        case .recordEnd(let role, let why): end(wallet(role), why.mark, "\(why)", &sheet, &ownership)
        default: break
        }
      }
    default: break
    }
  }

  private mutating func start(
    _ who: TimelineWho, _ pid: Int32, isOwnWord: Bool, _ sheet: inout Sheet, _ ownership: inout OwnershipBars
  ) {
    if let life = lives[who], life.pid == pid {
      if isOwnWord, !life.hasSaidStart { sheet.mark(.start, in: who, "started as process \(pid)") }
      if isOwnWord { lives[who]?.hasSaidStart = true }
      return
    }
    // Its end was not recorded, as iosd was killed too.
    if lives[who] != nil { end(who, .end, "its end was not recorded", &sheet, &ownership) }
    let launch = launches[who]
    launches[who] = nil
    let why = launch.map { ": \($0.why)" } ?? ""
    let span = sheet.begin(.life, in: who, "process \(pid)\(why)")
    lives[who] = Life(span: span, pid: pid, hasSaidStart: isOwnWord)
    sheet.mark(.start, in: who, "process \(pid) starts\(why)")
    if let launch { sheet.draw(.launch, from: launch.at, to: who, "starts process \(pid)\(why)") }
  }

  private mutating func end(
    _ who: TimelineWho, _ mark: TimelineMark.Kind, _ why: String, _ sheet: inout Sheet,
    _ ownership: inout OwnershipBars
  ) {
    guard let life = lives[who] else {
      if mark != .end { sheet.mark(mark, in: who, why) }
      return
    }
    lives[who] = nil
    for span in [life.suspended, life.frozen, life.span] { if let span { sheet.end(span) } }
    sheet.mark(mark, in: who, "process \(life.pid): \(why)")
    if mark == .kill, let kill = life.kill { sheet.draw(.kill, from: kill, to: who, why) }
    ownership.lost(by: who, why, &sheet)
  }
}

extension PhonePolicy.EndReason {
  fileprivate var mark: TimelineMark.Kind {
    switch code {
    case .ended, .endedAsAsked, .gaveUp: .end
    case .crashed: .crash
    default: .kill
    }
  }
}

/// The paper on which the builder's parts draw: lanes, items, and the record that is being read.
struct Sheet: Sendable {
  private(set) var records: [TimelineRecord] = []
  private(set) var spans: [TimelineSpan] = []
  private(set) var arrows: [TimelineArrow] = []
  private(set) var marks: [TimelineMark] = []
  private(set) var anchors: [String: TimelineAnchor] = [:]
  private var who: [TimelineWho] = []
  private var places: [TimelineWho: Int] = [:]
  private var names: [TimelineWho: String] = [:]
  private var rows: [TimelineWho: RowPlan] = [:]

  private var writer = TimelineWho.peer
  /// The record that is being read has a sentence, or something is drawn at it. Other records are left out.
  private var isUsed = true

  /// The instant of the record that is being read.
  var now: Instant { records.last?.at ?? Instant(nanoseconds: 0) }
  var record: Int {
    mutating get {
      use()
      return records.count - 1
    }
  }
  var here: TimelineAnchor { mutating get { TimelineAnchor(at: now, record: record) } }

  mutating func name(_ who: TimelineWho, _ name: String) { names[who] = names[who] ?? name }

  mutating func write(_ record: TimelineRecord, in who: TimelineWho) {
    if !isUsed { records.removeLast() }
    records.append(record)
    (writer, isUsed) = (who, false)
    if !record.text.isEmpty { use() }
  }

  private mutating func use() {
    guard !isUsed else { return }
    isUsed = true
    records[records.count - 1].lane = lane(of: writer)
  }

  mutating func lane(of one: TimelineWho) -> Int {
    if let place = places[one] { return place }
    places[one] = who.count
    who.append(one)
    return who.count - 1
  }

  mutating func mark(_ kind: TimelineMark.Kind, in who: TimelineWho, _ label: String, at: Instant? = nil) {
    marks.append(TimelineMark(lane: lane(of: who), kind: kind, at: at ?? now, label: label, record: record))
  }

  mutating func anchor(_ name: String) { anchors[name] = anchors[name] ?? here }

  /// Begins a span and returns its number.
  mutating func begin(
    _ kind: TimelineSpan.Kind, in who: TimelineWho, row: Int = 0, _ label: String, epoch: Epoch? = nil,
    from: Instant? = nil, record begun: Int? = nil
  ) -> Int {
    spans.append(
      TimelineSpan(
        lane: lane(of: who), row: row, kind: kind, from: from ?? now, to: from ?? now, label: label,
        epoch: epoch, record: begun ?? record, isOpen: true))
    return spans.count - 1
  }

  mutating func end(_ span: Int, at: Instant? = nil, adding words: String = "") {
    spans[span].to = max(spans[span].from, at ?? now)
    spans[span].isOpen = false
    spans[span].label += words
  }

  mutating func setEpoch(_ epoch: Epoch, of span: Int) { spans[span].epoch = epoch }

  func span(_ number: Int) -> TimelineSpan { spans[number] }

  /// Draws an arrow and returns its number.
  @discardableResult mutating func draw(
    _ kind: TimelineArrow.Kind, from: TimelineEnd, to other: TimelineWho, _ label: String,
    _ target: TimelineAnchor? = nil
  ) -> Int {
    let target = target ?? here
    arrows.append(
      TimelineArrow(
        kind: kind, fromLane: lane(of: from.who), from: min(from.at.at, target.at), toLane: lane(of: other),
        to: target.at, label: label, fromRecord: from.at.record, toRecord: target.record))
    return arrows.count - 1
  }

  /// With the time that it took.
  mutating func draw(_ kind: TimelineArrow.Kind, _ from: TimelineEnd, to other: TimelineWho, _ words: String)
  {
    draw(kind, from: from, to: other, "\(words), \(TimeText.span(now - from.at.at))")
  }

  mutating func move(arrow: Int, from: TimelineAnchor, label: String) {
    arrows[arrow].from = min(from.at, arrows[arrow].to)
    arrows[arrow].fromRecord = from.record
    arrows[arrow].label = label
  }

  func arrow(_ number: Int) -> TimelineArrow { arrows[number] }

  /// A free row for a span of this lane.
  mutating func takeRow(of who: TimelineWho) -> Int { rows[who, default: RowPlan()].take() }
  mutating func freeRow(_ row: Int, of who: TimelineWho) { rows[who, default: RowPlan()].free(row) }

  mutating func timeline(
    title: String, start: Instant, startWall: Int64?, findings: [TimelineFinding]
  ) -> Timeline {
    if !isUsed { records.removeLast() }
    let end = max(start, records.map(\.at).max() ?? start)
    let order = who.indices.sorted { (who[$0].order, $0) < (who[$1].order, $1) }
    var place = [Int](repeating: 0, count: who.count)
    for (new, old) in order.enumerated() { place[old] = new }
    let lanes = order.map { old in
      TimelineLane(
        kind: who[old].kind, name: names[who[old]] ?? who[old].name, rows: max(1, rows[who[old]]?.most ?? 1))
    }
    func placed<Item>(_ items: [Item], _ lanes: WritableKeyPath<Item, Int>...) -> [Item] {
      items.map { item in
        lanes.reduce(into: item) { $0[keyPath: $1] = place[$0[keyPath: $1]] }
      }
    }
    for index in spans.indices where spans[index].isOpen { spans[index].to = end }
    return Timeline(
      title: title, start: start, end: end, startWall: startWall, lanes: lanes,
      spans: placed(spans, \.lane).sorted { ($0.from, $0.lane) < ($1.from, $1.lane) },
      arrows: placed(arrows, \.fromLane, \.toLane).sorted { ($0.from, $0.to) < ($1.from, $1.to) },
      marks: placed(marks, \.lane).sorted { ($0.at, $0.lane) < ($1.at, $1.lane) },
      records: placed(records, \.lane), findings: findings, anchors: anchors)
  }
}

/// Where an arrow begins.
struct TimelineEnd: Hashable, Sendable {
  var who: TimelineWho
  var at: TimelineAnchor
}

/// Which rows of a lane are taken.
struct RowPlan: Sendable {
  /// More would be too thin to see; the last row is then shared.
  private static let rowsMax = 6
  private var taken: [Int] = []
  private(set) var most = 0

  mutating func take() -> Int {
    let row = taken.firstIndex(of: 0) ?? min(taken.count, Self.rowsMax - 1)
    if row == taken.count { taken.append(0) }
    taken[row] += 1
    most = max(most, row + 1)
    return row
  }

  mutating func free(_ row: Int) {
    guard taken.indices.contains(row) else { return }
    taken[row] = max(0, taken[row] - 1)
  }
}

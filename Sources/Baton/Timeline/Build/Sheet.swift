import Ground

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

  /// The instant of the record that is being read.
  var now: Instant { records.last?.at ?? Instant(nanoseconds: 0) }
  var record: Int { records.count - 1 }
  var here: TimelineAnchor { TimelineAnchor(at: now, record: record) }

  mutating func name(_ who: TimelineWho, _ name: String) { names[who] = names[who] ?? name }

  mutating func write(_ record: TimelineRecord, in who: TimelineWho) {
    var record = record
    record.lane = lane(of: who)
    records.append(record)
  }

  mutating func lane(of one: TimelineWho) -> Int {
    if let place = places[one] { return place }
    places[one] = who.count
    who.append(one)
    return who.count - 1
  }

  mutating func mark(_ kind: TimelineMark.Kind, in who: TimelineWho, _ label: String, at: Instant? = nil) {
    marks.append(
      TimelineMark(lane: lane(of: who), kind: kind, at: at ?? now, label: label, record: record))
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
  @discardableResult
  mutating func draw(
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

  mutating func move(arrow: Int, from: TimelineAnchor, label: String) {
    arrows[arrow].from = min(from.at, arrows[arrow].to)
    arrows[arrow].fromRecord = from.record
    arrows[arrow].label = label
  }

  func arrow(_ number: Int) -> TimelineArrow { arrows[number] }

  /// A free row for a span of this lane.
  mutating func takeRow(of who: TimelineWho) -> Int { rows[who, default: RowPlan()].take() }
  mutating func freeRow(_ row: Int, of who: TimelineWho) { rows[who, default: RowPlan()].free(row) }

  func timeline(
    title: String, start: Instant, startWall: Int64?, findings: [TimelineFinding]
  ) -> Timeline {
    let end = max(start, records.map(\.at).max() ?? start)
    let order = who.indices.sorted { (who[$0].order, $0) < (who[$1].order, $1) }
    var place = [Int](repeating: 0, count: who.count)
    for (new, old) in order.enumerated() { place[old] = new }
    let lanes = order.map { old in
      TimelineLane(
        kind: who[old].kind, name: names[who[old]] ?? who[old].name, rows: max(1, rows[who[old]]?.most ?? 1))
    }
    return Timeline(
      title: title, start: start, end: end, startWall: startWall, lanes: lanes,
      spans: spans.map { span in
        var span = span
        span.lane = place[span.lane]
        if span.isOpen { span.to = end }
        return span
      }.sorted { ($0.from, $0.lane) < ($1.from, $1.lane) },
      arrows: arrows.map { arrow in
        var arrow = arrow
        (arrow.fromLane, arrow.toLane) = (place[arrow.fromLane], place[arrow.toLane])
        return arrow
      }.sorted { ($0.from, $0.to) < ($1.from, $1.to) },
      marks: marks.map { mark in
        var mark = mark
        mark.lane = place[mark.lane]
        return mark
      }.sorted { ($0.at, $0.lane) < ($1.at, $1.lane) },
      records: records.map { record in
        var record = record
        record.lane = place[record.lane]
        return record
      }, findings: findings, anchors: anchors)
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

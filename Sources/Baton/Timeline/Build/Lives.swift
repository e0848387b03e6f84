import Ground

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
  /// The pid of the last life of a lane whose journal has ended.
  private var ended: [TimelineWho: Int32] = [:]
  private var launches: [TimelineWho: (at: TimelineEnd, why: String)] = [:]
  private var order: [TimelineWho] = []

  mutating func take(
    _ fact: TimelineFact, by who: TimelineWho, _ sheet: inout Sheet, _ ownership: inout OwnershipBars
  ) {
    let wallet = { (role: Role) in TimelineWho.wallet(role, device: who.device) }
    switch fact {
    case .launched(let role, let why):
      launches[wallet(role)] = (TimelineEnd(who: who, at: sheet.here), why)
    case .started(let pid): start(who, pid, isOwnWord: true, &sheet, &ownership)
    case .processStarted(let role, let pid): start(wallet(role), pid, isOwnWord: false, &sheet, &ownership)
    case .ends(let why):
      guard let life = lives[who] else { return }
      ended[who] = life.pid
      end(who, .ended, why, &sheet, &ownership)
    case .processEnded(let role, let end, let why):
      self.end(wallet(role), end, why, &sheet, &ownership)
    case .killOrdered(let role, _):
      lives[wallet(role)]?.kill = TimelineEnd(who: who, at: sheet.here)
    case .suspended(let role):
      guard let life = lives[wallet(role)], life.suspended == nil else { return }
      lives[wallet(role)]?.suspended = sheet.begin(.suspended, in: wallet(role), "suspended")
    case .resumed(let role):
      if let span = lives[wallet(role)]?.suspended { sheet.end(span) }
      lives[wallet(role)]?.suspended = nil
    case .frozen(let role):
      guard let life = lives[wallet(role)], life.frozen == nil else { return }
      lives[wallet(role)]?.frozen = sheet.begin(.frozen, in: wallet(role), "frozen")
      sheet.mark(.fault, in: wallet(role), "is frozen")
    case .thawed(let role):
      if let span = lives[wallet(role)]?.frozen { sheet.end(span) }
      lives[wallet(role)]?.frozen = nil
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
    if lives[who] != nil { end(who, .ended, "its end was not recorded", &sheet, &ownership) }
    let launch = launches[who]
    launches[who] = nil
    let why = launch.map { ": \($0.why)" } ?? ""
    let span = sheet.begin(.life, in: who, "process \(pid)\(why)")
    lives[who] = Life(span: span, pid: pid, hasSaidStart: isOwnWord)
    if !order.contains(who) { order.append(who) }
    sheet.mark(.start, in: who, "process \(pid) starts\(why)")
    if let launch { sheet.draw(.launch, from: launch.at, to: who, "starts process \(pid)\(why)") }
  }

  private mutating func end(
    _ who: TimelineWho, _ end: TimelineFact.End, _ why: String, _ sheet: inout Sheet,
    _ ownership: inout OwnershipBars
  ) {
    guard let life = lives[who] else {
      if end != .ended { sheet.mark(end == .crashed ? .crash : .kill, in: who, why) }
      return
    }
    lives[who] = nil
    for span in [life.suspended, life.frozen, life.span] { if let span { sheet.end(span) } }
    sheet.mark(
      end == .killed ? .kill : end == .crashed ? .crash : .end, in: who, "process \(life.pid): \(why)")
    if end == .killed, let kill = life.kill { sheet.draw(.kill, from: kill, to: who, why) }
    ownership.lost(by: who, why, &sheet)
  }

  mutating func finish(_ sheet: inout Sheet, _ ownership: inout OwnershipBars) {
    ownership.finish(&sheet)
  }
}

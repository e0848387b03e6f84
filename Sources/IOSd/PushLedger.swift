import DaemonRuntime
import PhonePolicy

/// Every push this phone ever accepted, and its fate: the last row of an id counts. In memory are the newest.
final class PushLedger {
  private let log: AppendLog<PushRow>
  private var newest = NewestRows<PushRow>()

  var rows: [PushRow] { newest.rows }

  /// `shown`: the pushes that have a notification.
  init(_ path: String, shown: Set<UInt64>, clock: Clock) throws(SystemError) {
    log = try AppendLog(path)
    var last: [UInt64: PushRow] = [:]
    for row in AppendLog<PushRow>.rows(of: path) {
      newest.keep(row)
      last[row.id] = row
    }
    // Open pushes were only in iosd's memory: a killed iosd could not record their fate.
    for row in last.values.sorted(by: { $0.id < $1.id }) {
      if let fate = row.endInAKill(isShown: shown.contains(row.id)) { record(fate, in: row, clock) }
    }
  }

  /// Ids continue over restarts.
  var upcomingID: UInt64 { newest.nextID }

  func take(_ push: PhonePush, clock: Clock) {
    var row = PushRow(
      id: push.id, of: push.of, isVisible: push.alert != nil, hasMutableContent: push.hasMutableContent,
      isBadgeOrSound: push.badgeAndSound == nil ? nil : true, wall: clock.wallNanoseconds,
      at: clock.now.nanoseconds)
    row.boot = clock.bootText
    newest.keep(row)
    log.append(row)
  }

  func record(_ fate: PushFate, of push: UInt64, clock: Clock) {
    if let row = row(push) { record(fate, in: row, clock) }
  }

  private func record(_ fate: PushFate, in row: PushRow, _ clock: Clock) {
    var row = row
    row.take(fate, wall: clock.wallNanoseconds, at: clock.now.nanoseconds)
    newest.replace(row)
    log.append(row)
  }

  func row(_ id: UInt64) -> PushRow? { newest.row(id) }
}

extension PushRow {
  /// The push's final fate when its iosd was killed; nil if the fate is already final. A visible one was on its way to
  /// the phone, or its notification was about to be shown. A push delivered to the app ended with the app, and so with
  /// iosd.
  func endInAKill(isShown: Bool) -> PushFate? {
    switch fateCode {
    case nil, .held, .late: isVisible && isShown ? nil : .lost
    case .contentRefused: isVisible && !isShown ? .lost : nil
    case .delivered: isVisible ? nil : .abandoned
    default: nil
    }
  }
}

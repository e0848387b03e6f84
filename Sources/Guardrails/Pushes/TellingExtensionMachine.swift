import Ground

/// An extension that has no node: it tells the user at once, and the app receives.
///
/// The text of each push is ready when the push arrives. Before it is delivered, the announced payment is stored for the
/// app, as iOS may suspend the process as soon as it has the text. A blocked store never delays the text by more than
/// `storeTime`: the record is then given up, since the app hears of the payment from its peer as well. (On a slow disk
/// the write goes on after the text; if iOS suspends the process within it, it may end the process for the lock.)
/// Nothing is claimed, so the extension never stands in the app's way; and no push waits for another.
public struct TellingExtensionMachine: GuardMachine {
  public static let name = "guard-telling-extension"
  public static let role = Role.extension

  /// A push whose record is being stored.
  struct Storing: Hashable, Codable, Sendable {
    var push: Push
    var record: IncomingRecord
    /// When the text is delivered without the record.
    var deliverBy: Instant
    /// After a failed attempt; nil while one is under way.
    var triesAgainAt: Instant?
    /// The text was delivered before the push could be read.
    var textIsOut = false
  }

  /// A text that is ready.
  struct Waiting: Hashable, Codable, Sendable {
    var push: Push
    var reason: FinishReason
  }

  /// How long a record may delay its text.
  public static let storeTime = TimeSpan.milliseconds(500)
  static let notInTime = "An announced payment is not stored after half a second."
  /// Between two attempts to store a record.
  public static let retryInterval = TimeSpan.milliseconds(25)
  /// iOS delivers pushes one by one; beyond this many the text is worth more than the record.
  static let storingLimit = 64

  var storing: [Storing] = []
  /// Texts that wait until the records of pushes told before are stored: iOS may suspend the process right after a text,
  /// and would kill it in the middle of a write.
  var waiting: [Waiting] = []
  private(set) var hasEnded = false

  public init(configuration: GuardConfiguration) {}

  public var deadline: Instant? {
    storing.flatMap { [$0.deliverBy, $0.triesAgainAt].compactMap { $0 } }.min()
  }

  public mutating func handle(_ event: GuardEvent, at now: Instant) -> [GuardDirective] {
    guard !hasEnded else { return [] }
    return react(to: event, at: now) + tellWaiting()
  }

  private mutating func react(to event: GuardEvent, at now: Instant) -> [GuardDirective] {
    switch event {
    case .pushArrived(let push): return pushArrived(push, at: now)
    case .toldPushRead(let push): return toldPushRead(push, at: now)
    case .incomingStored(let id):
      endStoring(id, .announced)
      return []
    case .incomingNotStored(.blocked, let id):
      if let index = storing.firstIndex(where: { $0.push.id == id }) {
        storing[index].triesAgainAt = now + Self.retryInterval
      }
      return []
    // Such as a full disk, which does not change within half a second.
    case .incomingNotStored(.failed(let sentence), let id):
      return endStoring(id, .announced) ? [.phone(.show(.trouble(sentence)))] : []
    case .incomingNotStored(.lost(let sentence), let id):
      return endStoring(id, .containerLost) ? [.phone(.show(.trouble(sentence)))] : []
    case .expiryWarned(let id):
      if let index = waiting.firstIndex(where: { $0.push.id == id }) {
        return tell(waiting.remove(at: index).push, .timeWillExpire)
      }
      return take(id).map { tell($0, .timeWillExpire) } ?? []
    case .deadlineReached: return deadlineReached(at: now)
    // The next push may find another container: nothing of this one is open.
    case .containerLost(let sentence): return [.phone(.show(.trouble(sentence)))] + tellAll(.containerLost)
    case .terminationRequested:
      let texts = tellAll(.terminated)
      hasEnded = true
      return texts + [.phone(.end(.terminated))]
    default: return []
    }
  }

  private mutating func pushArrived(_ push: Push, at now: Instant) -> [GuardDirective] {
    let isKnown = (storing.map(\.push) + waiting.map(\.push)).contains { $0.id == push.id }
    guard !isKnown else { return [] }
    guard let record = push.announcement?.record, storing.count < Self.storingLimit else {
      let reason: FinishReason =
        push.announcement == nil
        ? .unreadablePush : push.announcement?.record == nil ? .announced : .tooManyPushes
      waiting.append(Waiting(push: push, reason: reason))
      return []
    }
    storing.append(Storing(push: push, record: record, deliverBy: now + Self.storeTime))
    return [.wallet(.storeIncoming(record, push: push.id))]
  }

  private mutating func toldPushRead(_ push: Push, at now: Instant) -> [GuardDirective] {
    guard let record = push.announcement?.record, storing.count < Self.storingLimit,
      !storing.contains(where: { $0.push.id == push.id })
    else { return [] }
    storing.append(Storing(push: push, record: record, deliverBy: now + Self.storeTime, textIsOut: true))
    return [.wallet(.storeIncoming(record, push: push.id))]
  }

  private mutating func deadlineReached(at now: Instant) -> [GuardDirective] {
    let late = storing.filter { now >= $0.deliverBy }
    storing.removeAll { now >= $0.deliverBy }
    var directives = late.flatMap { [.phone(.show(.trouble(Self.notInTime)))] + tell($0, .announced) }
    for index in storing.indices {
      guard let instant = storing[index].triesAgainAt, now >= instant else { continue }
      storing[index].triesAgainAt = nil
      directives.append(.wallet(.storeIncoming(storing[index].record, push: storing[index].push.id)))
    }
    return directives
  }

  /// Its text may be told. Whether it was being stored.
  @discardableResult private mutating func endStoring(_ id: UInt64, _ reason: FinishReason) -> Bool {
    guard let stored = take(id) else { return false }
    if !stored.textIsOut { waiting.append(Waiting(push: stored.push, reason: reason)) }
    return true
  }

  private mutating func tellWaiting() -> [GuardDirective] {
    guard !storing.contains(where: \.textIsOut) else { return [] }
    defer { waiting = [] }
    return waiting.flatMap { tell($0.push, $0.reason) }
  }

  private mutating func take(_ id: UInt64) -> Storing? {
    storing.firstIndex { $0.push.id == id }.map { storing.remove(at: $0) }
  }

  private mutating func tellAll(_ reason: FinishReason) -> [GuardDirective] {
    defer { (storing, waiting) = ([], []) }
    return waiting.flatMap { tell($0.push, $0.reason) } + storing.flatMap { tell($0, reason) }
  }

  private func tell(_ storing: Storing, _ reason: FinishReason) -> [GuardDirective] {
    storing.textIsOut ? [] : tell(storing.push, reason)
  }

  /// Only what has left `storing`, or was never in it, is told: so each push once.
  private func tell(_ push: Push, _ reason: FinishReason) -> [GuardDirective] {
    let outcome = push.announcement.map { PushOutcome.announced($0) } ?? .nothingReceived(push.reason)
    return [.phone(.deliver(push: push.id, outcome)), .phone(.finished(push: push.id, reason))]
  }
}

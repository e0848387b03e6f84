import Ground

/// The silent pushes of one phone: the waiting one, those that the app handles, and the budget used.
public struct SilentPushes: Hashable, Codable, Sendable {
  struct Waiting: Hashable, Codable, Sendable {
    fileprivate(set) var push: PhonePush
    fileprivate var notBefore: Instant
    /// The reason last recorded.
    fileprivate var reason: PushHold?
  }

  private struct Open: Hashable, Codable, Sendable {
    var id: UInt64
    /// Nil while the app is in the foreground: no time limit there.
    var endsBy: Instant?
    var isWarned = false

    func due(_ rules: SilentPushRules) -> Instant? {
      endsBy.map { isWarned ? $0 + rules.completionGrace : $0 }
    }
  }

  /// The phone's state that decides about silent pushes.
  struct Conditions {
    var app: AppState
    var isGoingDown: Bool
    var isInLowPowerMode: Bool
    var isRefreshAllowed: Bool
    var rules: SilentPushRules
    var enforcesLimits: Bool
  }

  private(set) var waiting: Waiting?
  private var open: [Open] = []
  /// No silent push waits, and the app handles none.
  public var areOver: Bool { waiting == nil && open.isEmpty }
  /// Deliveries in the background within the window.
  private var deliveries: [Instant] = []
  public private(set) var throttledUntil: Instant?
  /// The user swiped the app away: it gets no silent push until it is opened again.
  private var isSwipedAway = false
  private var chance: Chance

  init(_ rules: SilentPushRules) { chance = Chance(seed: rules.seed) }

  mutating func noteOpened() { isSwipedAway = false }
  mutating func noteSwipedAway() { isSwipedAway = true }

  // MARK: The waiting push

  mutating func take(_ push: PhonePush, _ conditions: Conditions, at now: Instant) -> [PhoneDirective] {
    if conditions.isGoingDown { return [.recordFate(push: push.id, .dropped(.goingDown))] }
    var notBefore = now
    if conditions.app != .foreground {
      if let why = reasonToDrop(conditions) { return [.recordFate(push: push.id, .dropped(why))] }
      if conditions.rules.areByChance {
        // Draw both numbers for every push, so one setting does not change the other's random sequence.
        let luck = chance.number(upTo: 99)
        let delay = chance.number(upTo: UInt64(max(0, conditions.rules.delayMax.nanoseconds)))
        if luck < conditions.rules.dropPercent { return [.recordFate(push: push.id, .dropped(.chance))] }
        notBefore = now + TimeSpan(nanoseconds: Int64(clamping: delay))
      }
    }
    let older = waiting
    waiting = Waiting(push: push, notBefore: notBefore)
    return older.map { [.recordFate(push: $0.push.id, .replaced(by: push.id))] } ?? []
  }

  enum Next {
    /// Nothing is delivered now.
    case none([PhoneDirective])
    case toAppInFront(PhonePush)
    case toAppInBackground(PhonePush)
  }

  mutating func next(_ conditions: Conditions, at now: Instant) -> Next {
    guard let waiting else { return .none([]) }
    if let why = reasonToDrop(conditions) {
      self.waiting = nil
      return .none([.recordFate(push: waiting.push.id, .dropped(why))])
    }
    switch conditions.app {
    // The app is about to be in the foreground and gets the push there.
    case .launching(intoForeground: true): return .none([])
    case .foreground: return .toAppInFront(waiting.push)
    default: break
    }
    guard let why = reasonToHold(waiting, conditions, at: now) else {
      return .toAppInBackground(waiting.push)
    }
    guard waiting.reason != why else { return .none([]) }
    self.waiting?.reason = why
    return .none([.recordFate(push: waiting.push.id, .held(why))])
  }

  mutating func noteDelivered(_ push: UInt64, _ conditions: Conditions, at now: Instant) {
    waiting = nil
    let isInFront = conditions.app == .foreground
    if !isInFront { deliveries.append(now) }
    open.append(Open(id: push, endsBy: isInFront ? nil : Self.end(conditions, from: now)))
  }

  /// Drops the waiting push.
  mutating func loseWaiting() -> UInt64? {
    defer { waiting = nil }
    return waiting?.push.id
  }

  private func reasonToDrop(_ conditions: Conditions) -> PushDrop? {
    if conditions.isGoingDown { return .goingDown }
    if conditions.app == .foreground { return nil }
    if isSwipedAway { return .swipedAway }
    if !conditions.isRefreshAllowed { return .backgroundRefreshOff }
    return conditions.isInLowPowerMode && conditions.rules.lowPower == .drop ? .lowPowerMode : nil
  }

  private func reasonToHold(_ waiting: Waiting, _ conditions: Conditions, at now: Instant) -> PushHold? {
    if conditions.isInLowPowerMode { return .lowPowerMode }
    if case .terminating = conditions.app { return .appIsEnding }
    if waiting.notBefore > now { return .delayed }
    let budget = budget(conditions.rules)
    guard deliveries.count >= budget else { return nil }
    return throttledUntil == nil ? .budgetUsed(perWindow: budget) : .throttled(perWindow: budget)
  }

  // MARK: Delivered pushes

  private static func end(_ conditions: Conditions, from now: Instant) -> Instant? {
    conditions.enforcesLimits ? now + conditions.rules.completionTime : nil
  }

  mutating func complete(
    _ push: UInt64, _ result: SilentPushOutcome, _ assertions: inout Assertions
  ) -> [PhoneDirective] {
    guard let index = open.firstIndex(where: { $0.id == push }) else {
      return [.refuseCompletion(push: push)]
    }
    open.remove(at: index)
    assertions.release(.silentPush(push))
    return [.recordFate(push: push, .completed(result))]
  }

  mutating func letTimeRun(
    _ conditions: Conditions, _ assertions: inout Assertions, at now: Instant
  ) -> [PhoneDirective] {
    var directives: [PhoneDirective] = []
    var stillOpen: [Open] = []
    for var push in open {
      if conditions.app == .foreground {
        push.endsBy = nil
        push.isWarned = false
      } else if push.endsBy == nil, case .background = conditions.app {
        push.endsBy = Self.end(conditions, from: now)
        assertions.hold(.silentPush(push.id), at: now)
      }
      guard let due = push.due(conditions.rules), due <= now else {
        stillOpen.append(push)
        continue
      }
      throttle(conditions.rules, at: now)
      if push.isWarned {
        assertions.release(.silentPush(push.id))
        directives.append(.recordFate(push: push.id, .expired))
      } else {
        push.isWarned = true
        directives.append(.tell(.app, .timeWillExpire(push: push.id)))
        stillOpen.append(push)
      }
    }
    open = stillOpen
    return directives
  }

  /// An app that exits by itself before completing a push is throttled; an app that was killed is not.
  mutating func abandon(after end: EndReason?, _ rules: SilentPushRules, at now: Instant) -> [PhoneDirective]
  {
    guard !open.isEmpty else { return [] }
    defer { open = [] }
    if let code = end?.code, [.ended, .gaveUp, .crashed].contains(code) { throttle(rules, at: now) }
    return open.map { .recordFate(push: $0.id, .abandoned) }
  }

  mutating func abandonAtLaunch() -> [PhoneDirective] {
    defer { open = [] }
    return open.map { .recordFate(push: $0.id, .dropped(.launchFailed)) }
  }

  // MARK: The budget

  private mutating func throttle(_ rules: SilentPushRules, at now: Instant) {
    throttledUntil = now + rules.window
  }

  /// Forgets deliveries and throttling older than the window.
  mutating func forget(before now: Instant, _ rules: SilentPushRules) {
    deliveries.removeAll { $0 + rules.window <= now }
    if let until = throttledUntil, until <= now { throttledUntil = nil }
  }

  /// Forgets what a reboot forgets. Delivered pushes end with the app.
  mutating func forgetAll() {
    deliveries = []
    throttledUntil = nil
    isSwipedAway = false
  }

  private func budget(_ rules: SilentPushRules) -> Int {
    throttledUntil == nil ? rules.budget : rules.budget / 2
  }

  /// When the budget next grows.
  private func budgetChange(_ rules: SilentPushRules) -> Instant? {
    let first = deliveries.map { $0 + rules.window }.min()
    guard let until = throttledUntil else { return first }
    return min(first ?? until, until)
  }

  func deadline(_ rules: SilentPushRules) -> Instant? {
    var earliest: Instant?
    for push in open { earliest.bound(by: push.due(rules)) }
    // Only waits for an instant have a deadline.
    switch waiting?.reason {
    case .delayed: earliest.bound(by: waiting?.notBefore)
    case .budgetUsed, .throttled: earliest.bound(by: budgetChange(rules))
    case .lowPowerMode, .appIsEnding, .noNetwork, .phoneIsOff, nil: break
    }
    return earliest
  }
}

extension SilentPushes: Shiftable {
  public mutating func shift(by span: TimeSpan) {
    waiting?.notBefore.shift(by: span)
    for index in open.indices { open[index].endsBy?.shift(by: span) }
    for index in deliveries.indices { deliveries[index].shift(by: span) }
    throttledUntil?.shift(by: span)
  }
}

/// Why a push is dropped.
public enum PushDrop: String, Hashable, Codable, Sendable, CustomStringConvertible {
  case lowPowerMode = "low-power-mode"
  case backgroundRefreshOff = "background-refresh-off"
  case swipedAway = "swiped-away"
  case chance
  case goingDown = "going-down"
  case launchFailed = "launch-failed"
  case reboot

  public var description: String {
    switch self {
    case .lowPowerMode: "Low Power Mode is on"
    case .backgroundRefreshOff: "Background App Refresh is off"
    case .swipedAway: "the user swiped the app away and has not opened it since"
    case .chance: "lost at random"
    case .goingDown: "the phone powers off"
    case .launchFailed: "the app could not be started"
    case .reboot: "the phone rebooted before the push was handled"
    }
  }
}

/// Why a push waits.
public enum PushHold: Hashable, Codable, Sendable, CustomStringConvertible {
  case budgetUsed(perWindow: Int)
  /// The budget is used and was reduced because the app had not completed a push.
  case throttled(perWindow: Int)
  case lowPowerMode
  case delayed
  case appIsEnding
  /// Any push: APNs cannot reach the phone.
  case noNetwork
  /// Any push: the phone reboots.
  case phoneIsOff

  public var description: String {
    switch self {
    case .budgetUsed(let count): "the budget of silent pushes (\(count) an hour) is used up"
    case .throttled(let count):
      "silent pushes are throttled to \(count) an hour, as the app did not complete an earlier one"
    case .lowPowerMode: "Low Power Mode is on"
    case .delayed: "delayed at random"
    case .appIsEnding: "the app is terminating"
    case .noNetwork: "the phone is off the network"
    case .phoneIsOff: "the phone is off"
    }
  }
}

/// The limits and chances of silent pushes on one phone.
public struct SilentPushRules: Hashable, Codable, Sendable {
  /// What happens to a silent push in Low Power Mode: reports about iOS differ.
  public enum LowPower: String, Hashable, Codable, Sendable, CaseIterable {
    case drop
    /// The newest waits until Low Power Mode is off.
    case hold
  }

  /// How many the app gets in the background per window; further ones wait.
  public var budget: Int = 3
  public var window: TimeSpan = .seconds(3600)
  /// How long the app has for one push, and the grace after the warning.
  public var completionTime: TimeSpan = .seconds(30)
  public var completionGrace: TimeSpan = .seconds(1)
  public var lowPower: LowPower = .drop
  /// Percentage that is lost at random.
  public var dropPercent: UInt64 = 0
  /// Each waits a random time up to this.
  public var delayMax: TimeSpan = .zero
  var areByChance: Bool { dropPercent > 0 || delayMax > .zero }
  /// Seed of the random decisions.
  public var seed: UInt64 = 1

  public init() {}
}

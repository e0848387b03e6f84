import Ground

/// The extension's side of the guardrails: one push at a time, each served for at most 29.5 s.
///
/// It receives while the app does not want the node. When the app wants it, the extension steps back if it is not yet
/// connected, and hands over at the next safe point if it is. The text of every push is delivered exactly once, after
/// the node is released: iOS may suspend or kill the process as soon as it has the text.
public struct ExtensionMachine: GuardMachine {
  public static let name = "guard-extension"
  public static let role = Role.extension

  enum State: Hashable, Codable, Sendable {
    /// No push; nothing is held. → serving, ended
    case waiting
    /// A push is being served. → releasing; waiting, ended (nothing was held)
    case serving(Service)
    /// The text is ready, and is delivered when the node is released. → waiting, serving (the next push), ended;
    /// finishing (the container has not answered a claim)
    case releasing(Releasing)
    /// The text is delivered although a claim is not answered yet. → waiting, serving (the next push), ended
    case finishing(push: UInt64, FinishReason)
    /// Terminal. Nothing follows.
    case ended
  }

  struct Releasing: Hashable, Codable, Sendable {
    var service: Service
    var reason: FinishReason
    /// When the release is cut short: the text waits no longer.
    var deliverBy: Instant
  }

  public static let totalTime = TimeSpan.milliseconds(29_500)
  public static let idleTime = TimeSpan.seconds(5)
  /// How long the last read of the container may delay the end; a read takes milliseconds, and the total has room for
  /// it.
  public static let answerTime = TimeSpan.milliseconds(150)
  /// How long the release may delay the text once the push's time is over; then it is cut short. iOS kills the process
  /// 500 ms after 29.5 s, or after its warning.
  public static let releaseTime = TimeSpan.milliseconds(200)

  var state = State.waiting
  var queue = PushQueue()
  /// Pushes that were never served, each with its last read of the container.
  var unserved: [Service] = []
  package var ownership: Ownership
  private var presence = Presence(role: .extension)
  private var shown: Status?
  var mustEnd: EndReason?

  public init(configuration: GuardConfiguration) {
    ownership = Ownership(role: .extension, takeover: configuration.takeover, timing: configuration.timing)
  }

  public var deadline: Instant? {
    var instants = [ownership.deadline].compactMap { $0 }
    if case .serving(let service) = state {
      instants.append(end(of: service))
      if service.ending == nil, let asksAgainAt = service.asksAgainAt { instants.append(asksAgainAt) }
    }
    if case .releasing(let releasing) = state { instants.append(releasing.deliverBy) }
    instants += unserved.compactMap(\.ending?.answerBy)
    if let queueEnds = queue.nextEnd { instants.append(queueEnds) }
    return instants.min()
  }

  /// Neither incomplete sets nor work on a lost connection delay the end.
  private func end(of service: Service) -> Instant {
    if let ending = service.ending { return ending.answerBy }
    let activity = ownership.activity
    return service.endsBy(isPending: ownership.isEstablished && (activity.isSettling || activity.isSplicing))
  }

  public mutating func handle(_ event: GuardEvent, at now: Instant) -> [GuardDirective] {
    guard state != .ended else { return [] }
    if case .presenceHeard(let message) = event, presence.heard(message.code) == .ignored { return [] }
    var directives = react(to: event, at: now)
    directives += ownership.handle(event, at: now)
    directives += afterOwnership(event, at: now)
    directives += showChange()
    return directives
  }

  // MARK: Events

  private mutating func react(to event: GuardEvent, at now: Instant) -> [GuardDirective] {
    if let sentence = event.lossOfContainer { return containerLost(sentence, at: now) }
    switch event {
    case .pushArrived(let push): return pushArrived(push, at: now)
    case .expiryWarned(let id): return expiryWarned(id, at: now)
    case .terminationRequested:
      mustEnd = .terminated
      return isServing ? finish(.terminated, at: now) : []
    case .deadlineReached: return deadlineReached(at: now)
    case .presenceHeard(let message): return heard(message, at: now)
    case .rowRead(_, let appWantsNode): return intentRead(appWantsNode, at: now)
    case .observed(let observation): return observed(observation, at: now)
    case .receivedFound(let payments, let push): return receivedFound(payments, push: push, at: now)
    case .receivedNotRead(_, let push): return receivedNotRead(push: push, at: now)
    case .node(let report): return node(report, at: now)
    default: return []
    }
  }

  /// Every later look, claim and write would fail alike; the next start opens the container that is there then.
  private mutating func containerLost(_ sentence: String, at now: Instant) -> [GuardDirective] {
    mustEnd = .containerLost
    return [.phone(.show(.trouble(sentence)))] + concludeUnserved { _ in true }
      + finish(.containerLost, at: now)
  }

  private mutating func pushArrived(_ push: Push, at now: Instant) -> [GuardDirective] {
    guard push.id != currentPush, !queue.contains(push.id),
      !unserved.contains(where: { $0.push.id == push.id })
    else { return [] }
    guard state == .waiting, mustEnd == nil else {
      return queue.append(push, arrivedAt: now) ? [] : answerUnserved(push, .tooManyPushes, at: now)
    }
    return serve(push, arrivedAt: now, at: now)
  }

  private mutating func serve(_ push: Push, arrivedAt: Instant, at now: Instant) -> [GuardDirective] {
    let service = Service(push: push, startedAt: arrivedAt)
    state = .serving(service)
    let ping = say(presence.resume())
    guard push.reason != .unreadable else { return ping + finish(.unreadablePush, at: now) }
    // If the payment came while an earlier push was served, its text is in the database.
    let known = push.paymentHash == nil ? [] : [service.question]
    return ping + known + ownership.want(at: now)
  }

  private mutating func expiryWarned(_ id: UInt64, at now: Instant) -> [GuardDirective] {
    if isServing, currentPush == id { return finish(.timeWillExpire, at: now) }
    if case .releasing(var releasing) = state, currentPush == id {
      releasing.deliverBy = min(releasing.deliverBy, now + Self.releaseTime)
      state = .releasing(releasing)
    }
    return queue.remove(id).map { answerUnserved($0, .timeWillExpire, at: now) } ?? []
  }

  private mutating func deadlineReached(at now: Instant) -> [GuardDirective] {
    var directives = concludeUnserved { now >= $0.answerBy }
    directives += queue.removeExpired(at: now).flatMap { answerUnserved($0, .totalTime, at: now) }
    if case .releasing(let releasing) = state, now >= releasing.deliverBy {
      return directives + cutShort(releasing)
    }
    guard case .serving(var service) = state else { return directives }
    if now >= end(of: service) {
      if let ending = service.ending { return directives + conclude(service, ending.reason, at: now) }
      return directives + finish(now >= service.totalEnds ? .totalTime : .idle, at: now)
    }
    guard service.ending == nil, let asksAgainAt = service.asksAgainAt, now >= asksAgainAt else {
      return directives
    }
    service.asksAgainAt = nil
    state = .serving(service)
    return directives + [service.question]
  }

  /// iOS may suspend the process at its text, and kills a suspended process that holds a lock: so a release that takes
  /// too long (the peer is slow to close) is cut short before the text. All state is durable.
  private mutating func cutShort(_ releasing: Releasing) -> [GuardDirective] {
    let cut = ownership.cutReleaseShort()
    // `afterOwnership` delivers the text.
    guard !ownership.isIdle else { return cut }
    state = .finishing(push: releasing.service.push.id, releasing.reason)
    return cut + releasing.service.conclusion(for: releasing.reason)
  }

  // MARK: The app wants the node

  private mutating func heard(_ message: PresenceMessage, at now: Instant) -> [GuardDirective] {
    guard case .counts(let answer) = presence.heard(message.code) else { return [] }
    let wants = message.wantsNode || message.asksForHandover
    return say(answer) + (wants ? appWantsTheNode(at: now) : [])
  }

  /// If the app was given its 2 s and did not claim, it hangs: its intent lock is ignored, only its messages count.
  private mutating func intentRead(_ appWantsNode: Bool, at now: Instant) -> [GuardDirective] {
    guard case .serving(var service) = state else { return [] }
    guard appWantsNode else {
      service.claimedDespiteIntent = false
      state = .serving(service)
      return []
    }
    return service.claimedDespiteIntent ? [] : appWantsTheNode(at: now)
  }

  /// By a message or the intent lock; idempotent.
  private mutating func appWantsTheNode(at now: Instant) -> [GuardDirective] {
    guard case .serving(var service) = state, service.ending == nil, ownership.holds else { return [] }
    guard ownership.isEstablished else {
      // Nothing has begun: step back at once. If the app dies before it claims, the next look finds the node free and
      // the payment is received here.
      guard !service.steppedBack else { return [] }
      service.steppedBack = true
      state = .serving(service)
      return ownership.unwant(at: now)
    }
    guard !service.isHandingOver else { return [] }
    service.isHandingOver = true
    state = .serving(service)
    return [.node(.acceptNoNewPayment)] + (ownership.activity.isSettling ? [] : finish(.handedOver, at: now))
  }

  // MARK: The node

  private mutating func node(_ report: NodeReport, at now: Instant) -> [GuardDirective] {
    if case .received(let payment) = report {
      // The push's text is already delivered: a later payment gets its own notification.
      if case .finishing = state { return [.wallet(.notify(payment))] }
      if case .releasing(var releasing) = state {
        let further = releasing.service.receive(payment)
        state = .releasing(releasing)
        return further
      }
    }
    guard case .serving(var service) = state else { return [] }
    switch report {
    case .received(let payment):
      let told = service.receive(payment)
      service.idleEnds = now + Self.idleTime
      state = .serving(service)
      return told
    case .busy(let activity):
      service.collect(activity.collecting)
      state = .serving(service)
      // A handover waits for neither a splice nor incomplete sets: the app continues them.
      guard ownership.activity.isSettling, !activity.isSettling else { break }
      if service.isHandingOver { return finish(.handedOver, at: now) }
      if service.lacksItsPayment, service.ending == nil { return [service.question] }
    case .connecting:
      // The connection was lost during the handover: no work is left to wait for.
      if service.isHandingOver { return finish(.handedOver, at: now) }
    case .refused(let highest, let container):
      switch ownership.answer(toHighest: highest, of: container) {
      case .raise, .takePlace, nil: break
      case .otherDevice: return finish(.otherDevice, at: now)
      case .outOfReach: return finish(.outOfReach, at: now)
      }
    case .established, .fenced, .trouble, .stopped: break
    }
    return []
  }

  // MARK: Finishing

  mutating func finish(_ reason: FinishReason, at now: Instant) -> [GuardDirective] {
    guard case .serving(var service) = state else { return [] }
    guard service.asksBeforeItEnds(for: reason) else { return conclude(service, reason, at: now) }
    guard service.ending == nil else { return [] }
    service.ending = Service.Ending(reason: reason, answerBy: now + Self.answerTime)
    state = .serving(service)
    return [service.question]
  }

  mutating func conclude(_ service: Service, _ reason: FinishReason, at now: Instant) -> [GuardDirective] {
    let isLate = reason == .timeWillExpire || now >= service.totalEnds
    state = .releasing(
      Releasing(
        service: service, reason: reason, deliverBy: (isLate ? now : service.totalEnds) + Self.releaseTime))
    return ownership.unwant(at: now)
  }

  private mutating func afterOwnership(_ event: GuardEvent, at now: Instant) -> [GuardDirective] {
    var directives: [GuardDirective] = []
    if case .observed(let observation) = event, ownership.isClaiming, case .serving(var service) = state {
      service.claimedDespiteIntent = observation.appWantsNode
      state = .serving(service)
    }
    if ownership.takeFencedNotice() {
      mustEnd = mustEnd ?? .fenced
      directives += finish(.fenced, at: now)
    }
    guard ownership.isIdle, !isEnding else { return directives }
    let released = ownership.takeReleasedEpoch()
    if isServing {
      // Stepped back, or raising the epoch failed: look again.
      return directives + say(PresenceCode(.extension, .ping), released: released) + ownership.want(at: now)
    }
    directives += finished(released: released, at: now)
    return directives + end(at: now)
  }

  /// A loop, as an unreadable push is finished as soon as it is served.
  private mutating func finished(released: Epoch?, at now: Instant) -> [GuardDirective] {
    var directives: [GuardDirective] = []
    var released = released
    while ownership.isIdle, let (push, reason, text) = over {
      directives +=
        say(presence.suspend(), released: released) + text + [.phone(.finished(push: push, reason))]
      released = nil
      state = .waiting
      guard mustEnd == nil, let next = queue.removeFirst() else { break }
      directives += serve(next.push, arrivedAt: next.arrivedAt, at: now)
    }
    return directives
  }

  /// The push whose node is being released, with its text unless the text was delivered early.
  private var over: (push: UInt64, FinishReason, text: [GuardDirective])? {
    switch state {
    case .releasing(let releasing):
      (releasing.service.push.id, releasing.reason, releasing.service.conclusion(for: releasing.reason))
    case .finishing(let push, let reason): (push, reason, [])
    case .waiting, .serving, .ended: nil
    }
  }

  private mutating func end(at now: Instant) -> [GuardDirective] {
    guard state == .waiting, let mustEnd else { return [] }
    let texts = queue.removeAll().flatMap { answerUnserved($0, mustEnd.finish, at: now) }
    guard unserved.isEmpty else { return texts }
    state = .ended
    return texts + [.phone(.end(mustEnd))]
  }

  // MARK: Messages

  private func say(_ code: PresenceCode?, released: Epoch? = nil) -> [GuardDirective] {
    guard let code else { return [] }
    return [.phone(.say(PresenceMessage(code: code, wantsNode: isServing, released: released)))]
  }

  private mutating func showChange() -> [GuardDirective] {
    guard ownership.status != shown, state != .ended else { return [] }
    shown = ownership.status
    return [.phone(.show(ownership.status))]
  }

  private var isServing: Bool {
    if case .serving = state { true } else { false }
  }

  /// The text is delivered after the last read of the container.
  private var isEnding: Bool {
    if case .serving(let service) = state { service.ending != nil } else { false }
  }

  var currentPush: UInt64? {
    switch state {
    case .serving(let service): service.push.id
    case .releasing(let releasing): releasing.service.push.id
    case .finishing(let push, _): push
    case .waiting, .ended: nil
    }
  }
}

// Payments received by the app or an earlier extension, read from the container. Only settled ones count, so that the
// push is over when its text is delivered; a payment left pending by its owner is settled here first, and then read
// again.
extension ExtensionMachine {
  /// The app that holds the node receives this push's payment; its text comes from the database. The container is
  /// also read for an app that has exited: it may have received and released between two looks.
  mutating func observed(_ observation: Observation, at now: Instant) -> [GuardDirective] {
    guard case .serving(let service) = state, service.ending == nil, !ownership.holds,
      observation.row?.role == .app
    else { return [] }
    if service.steppedBack && observation.holderLockIsBusy { return finish(.appWantsNode, at: now) }
    return [service.question]
  }

  mutating func receivedFound(
    _ payments: [ReceivedPayment], push: UInt64?, at now: Instant
  ) -> [GuardDirective] {
    if let push, push != currentPush { return concludeUnserved(push, payments) }
    if case .releasing(var releasing) = state {
      // The answer to the last read came late.
      releasing.service.find(payments)
      let told = releasing.service.notifyFurther()
      state = .releasing(releasing)
      return told
    }
    guard case .serving(var service) = state else { return [] }
    service.find(payments)
    let told = service.notifyFurther()
    if let ending = service.ending { return told + conclude(service, ending.reason, at: now) }
    if !payments.isEmpty, ownership.holds { service.idleEnds = service.idleEnds ?? now + Self.idleTime }
    state = .serving(service)
    return told + (payments.isEmpty || ownership.holds ? [] : finish(.received, at: now))
  }

  /// A failed read does not mean "nothing received": it is repeated, unless it was the last one.
  mutating func receivedNotRead(push: UInt64, at now: Instant) -> [GuardDirective] {
    guard push == currentPush else { return concludeUnserved(push, []) }
    guard case .serving(var service) = state else { return [] }
    if let ending = service.ending { return conclude(service, ending.reason, at: now) }
    service.asksAgainAt = now + Ownership.lookInterval
    state = .serving(service)
    return []
  }

  // MARK: Pushes that were never served

  /// Each still gets its text: of its payment, if that was received.
  mutating func answerUnserved(_ push: Push, _ reason: FinishReason, at now: Instant) -> [GuardDirective] {
    var service = Service(push: push, startedAt: now)
    service.ending = Service.Ending(reason: reason, answerBy: now + Self.answerTime)
    guard service.asksBeforeItEnds(for: reason) else { return conclude(unserved: service) }
    unserved.append(service)
    return [service.question]
  }

  private mutating func concludeUnserved(_ push: UInt64, _ payments: [ReceivedPayment]) -> [GuardDirective] {
    guard let index = unserved.firstIndex(where: { $0.push.id == push }) else { return [] }
    unserved[index].find(payments)
    let told = unserved[index].notifyFurther()
    return told + conclude(unserved: unserved.remove(at: index))
  }

  /// Without waiting for their reads.
  mutating func concludeUnserved(where isOver: (Service.Ending) -> Bool) -> [GuardDirective] {
    let over = unserved.filter { $0.ending.map(isOver) ?? true }
    unserved.removeAll { over.contains($0) }
    return over.flatMap { conclude(unserved: $0) }
  }

  private func conclude(unserved service: Service) -> [GuardDirective] {
    guard let reason = service.ending?.reason else { return [] }
    return service.conclusion(for: reason) + [.phone(.finished(push: service.push.id, reason))]
  }
}

/// Pushes that arrived while another was served. The phone delivers them one by one, so the queue is short; but the
/// time of each runs from its arrival.
struct PushQueue: Hashable, Codable, Sendable {
  static let limit = 64

  struct Entry: Hashable, Codable, Sendable {
    var push: Push
    var arrivedAt: Instant

    var endsBy: Instant { arrivedAt + ExtensionMachine.totalTime }
  }

  var entries: [Entry] = []

  /// When the first push must have its text, served or not.
  var nextEnd: Instant? { entries.first?.endsBy }

  func contains(_ id: UInt64) -> Bool { entries.contains { $0.push.id == id } }

  /// Returns whether there was room.
  mutating func append(_ push: Push, arrivedAt: Instant) -> Bool {
    guard entries.count < Self.limit else { return false }
    entries.append(Entry(push: push, arrivedAt: arrivedAt))
    return true
  }

  mutating func removeFirst() -> Entry? { entries.isEmpty ? nil : entries.removeFirst() }

  mutating func remove(_ id: UInt64) -> Push? {
    entries.firstIndex { $0.push.id == id }.map { entries.remove(at: $0).push }
  }

  mutating func removeExpired(at now: Instant) -> [Push] {
    let expired = entries.prefix { now >= $0.endsBy }
    entries.removeFirst(expired.count)
    return expired.map(\.push)
  }

  mutating func removeAll() -> [Push] {
    defer { entries = [] }
    return entries.map(\.push)
  }
}

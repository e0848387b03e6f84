import Ground

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
    return service.conclusion(for: reason) + [.finished(push: service.push.id, reason)]
  }
}

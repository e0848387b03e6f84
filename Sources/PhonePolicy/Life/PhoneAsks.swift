import Ground

/// A request to the app whose answer a caller waits for. The phone does not know its contents.
struct OpenAsk: Hashable, Sendable {
  var request: UInt64
  var endsBy: Instant
}

extension Phone {
  /// `inFront`: the request is a button of the app, so it needs the app in the foreground.
  mutating func ask(_ request: UInt64, inFront: Bool, at now: Instant) -> [PhoneDirective] {
    if let why = app.refusal(inFront: inFront) { return [.refuseAsk(request: request, why)] }
    asks.append(OpenAsk(request: request, endsBy: now + configuration.answerPatience))
    return [.tell(.app, .ask(request: request))]
  }

  mutating func appAnswered(_ request: UInt64) -> [PhoneDirective] {
    guard let index = asks.firstIndex(where: { $0.request == request }) else { return [] }
    asks.remove(at: index)
    return [.passOnAnswer(request: request)]
  }

  mutating func reachAskDeadlines(at now: Instant) -> [PhoneDirective] {
    let late = asks.filter { $0.endsBy <= now }
    asks.removeAll { $0.endsBy <= now }
    return late.map { .refuseAsk(request: $0.request, .timedOut) }
  }

  mutating func endAsksWithApp() -> [PhoneDirective] {
    defer { asks = [] }
    return asks.map { .refuseAsk(request: $0.request, .appEnded) }
  }
}

extension AppState {
  /// Nil if the app can be asked.
  fileprivate func refusal(inFront: Bool) -> Refusal? {
    if inFront { return self == .foreground ? nil : .notInFront }
    return switch self {
    case .notRunning: .appNotRunning
    case .launching: .appStarting
    case .suspended: .appSuspended
    case .terminating: .appTerminates
    case .foreground, .background: nil
    }
  }
}

import Ground

// The phone's state with all instants moved by a span.
extension Phone: Shiftable {
  public mutating func shift(by span: TimeSpan) {
    if case .terminating(let ending, let killAt) = app {
      app = .terminating(ending, killAt: killAt?.shifted(by: span))
    }
    if case .background(var stay) = app {
      stay.shift(by: span)
      app = .background(stay)
    }
    service.shift(by: span)
    assertions.shift(by: span)
    silent.shift(by: span)
    stored?.shift(by: span)
    responses.shift(by: span)
    tasks.shift(by: span)
    audio.shift(by: span)
    for role in Role.allCases { activities[role].shift(by: span) }
    extensionLaunchedAt?.shift(by: span)
    for index in asks.indices { asks[index].endsBy.shift(by: span) }
  }
}

extension ExtensionState: Shiftable {
  public mutating func shift(by span: TimeSpan) {
    switch self {
    case .notRunning, .launching: break
    case .idle(let since): self = .idle(since: since.shifted(by: span))
    case .suspended(let since): self = .suspended(since: since.shifted(by: span))
    case .serving(var service):
      service.since.shift(by: span)
      self = .serving(service)
    case .ending(let ending, var service, let killAt):
      service?.since.shift(by: span)
      self = .ending(ending, service, killAt: killAt?.shifted(by: span))
    }
  }
}

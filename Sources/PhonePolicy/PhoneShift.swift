import Ground

// The phone's state with all instants moved by a span.
extension Phone: Shiftable {
  public mutating func shift(by span: TimeSpan) {
    if case .terminating(let ending, var killAt) = app {
      killAt.shift(by: span)
      app = .terminating(ending, killAt: killAt)
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
    case .idle(var since):
      since.shift(by: span)
      self = .idle(since: since)
    case .suspended(var since):
      since.shift(by: span)
      self = .suspended(since: since)
    case .serving(var service):
      service.since.shift(by: span)
      self = .serving(service)
    case .ending(let ending, var service, var killAt):
      service?.since.shift(by: span)
      killAt.shift(by: span)
      self = .ending(ending, service, killAt: killAt)
    }
  }
}

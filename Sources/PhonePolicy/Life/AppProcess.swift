import Ground

/// What the phone has sent to the app's process, and what it will send at its start.
struct AppProcess: Hashable, Sendable {
  /// Sent as soon as the process has started.
  private var messages: [PhoneMessage] = []
  /// The network state last sent to the app. A new process assumes that there is a network.
  private var knowsNetwork = true
  /// A memory warning was sent, and the footprint has not fallen below the bound since.
  private(set) var isWarned = false

  mutating func keep(_ message: PhoneMessage) { messages.append(message) }

  mutating func takeMessages() -> [PhoneDirective] {
    defer { messages = [] }
    return messages.map { .tell(.app, $0) }
  }

  mutating func network(isThere: Bool) -> [PhoneDirective] {
    guard knowsNetwork != isThere else { return [] }
    knowsNetwork = isThere
    return [.tell(.app, .network(isThere: isThere))]
  }

  /// The app has no memory limit, only a warning: once, and again only after the footprint has fallen below the
  /// bound. A suspended app gets no warning.
  mutating func memory(_ footprint: UInt64, warnsAbove bound: UInt64, isUsable: Bool) -> [PhoneDirective] {
    guard footprint > bound else {
      isWarned = false
      return []
    }
    guard isUsable, !isWarned else { return [] }
    isWarned = true
    return [.tell(.app, .memoryWarning(footprintBytes: footprint))]
  }
}

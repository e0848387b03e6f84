import Ground

/// What the phone has told the process of the app, and will.
struct AppProcess: Hashable, Sendable {
  /// What it is told as soon as it has started.
  private var words: [PhoneMessage] = []
  /// What it was last told of the network. One that starts believes that there is one.
  private var knowsNetwork = true
  /// It was told that it uses much memory, and has not fallen below since.
  private(set) var isWarned = false

  mutating func keep(_ word: PhoneMessage) { words.append(word) }

  mutating func takeWords() -> [PhoneDirective] {
    defer { words = [] }
    return words.map { .tell(.app, $0) }
  }

  mutating func network(isThere: Bool) -> [PhoneDirective] {
    guard knowsNetwork != isThere else { return [] }
    knowsNetwork = isThere
    return [.tell(.app, .network(isThere: isThere))]
  }

  /// The app has no limit as the extension has, but it is warned: once, and again only after it has fallen below. Who is stopped is
  /// told nothing.
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

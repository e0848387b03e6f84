/// The keys of `baton watch`.
package enum WatchKey: Hashable, Sendable {
  case action(LiveAction)
  case help
  case closeHelp
  case leave
  case drawAgain

  /// Of what a terminal sent; the sequences of arrows and function keys are no keys here, and Esc is
  /// alone.
  package static func all(in bytes: [UInt8]) -> [WatchKey] {
    var keys: [WatchKey] = []
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      guard byte == 0x1b else {
        if let key = WatchKey(byte) { keys.append(key) }
        continue
      }
      guard let begin = rest.popFirst() else {
        keys.append(.closeHelp)
        break
      }
      guard begin == UInt8(ascii: "[") || begin == UInt8(ascii: "O") else { continue }
      while let next = rest.popFirst(), !(0x40...0x7e).contains(next) {}
    }
    return keys
  }

  package init?(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "q"): self = .leave
    case UInt8(ascii: "?"): self = .help
    // ^L, as in every program of a terminal.
    case 0x0c: self = .drawAgain
    default:
      guard let action = LiveAction.allCases.first(where: { $0.key.utf8.first == byte }) else { return nil }
      self = .action(action)
    }
  }
}

extension LiveAction {
  package var key: String {
    switch self {
    case .open: "o"
    case .home: "h"
    case .quit: "x"
    case .pay: "p"
    case .push: "u"
    case .kill: "k"
    case .freeze: "f"
    case .thaw: "t"
    }
  }
}

import Ground

/// One horizontal lane: a process of the wallet with all its starts, the phone, the peer, or the payments.
package struct TimelineLane: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable {
    case payments
    case peer
    case phone
    case app
    case `extension`
    /// A process with a journal that is none of ours.
    case other
    /// User actions and faults of a simulated world.
    case events
  }

  package var kind: Kind
  package var name: String
  /// How many spans may lie beside each other.
  package var rows = 1
}

/// What a lane stands for. The user's second device has lanes of its own.
package enum TimelineWho: Hashable, Sendable {
  case payments
  case events(device: Int = 0)
  case peer
  case phone(device: Int = 0)
  case wallet(Role, device: Int = 0)
  case other(String)

  var kind: TimelineLane.Kind {
    switch self {
    case .payments: .payments
    case .events: .events
    case .peer: .peer
    case .phone: .phone
    case .wallet(.app, _): .app
    case .wallet(.extension, _): .extension
    case .other: .other
    }
  }

  var device: Int {
    switch self {
    case .events(let device), .phone(let device), .wallet(_, let device): device
    case .payments, .peer, .other: 0
    }
  }

  /// From the sender at the top down to the wallet's processes.
  var order: Int {
    switch self {
    case .payments: 0
    case .events(let device): 1 + device
    case .peer: 10
    case .phone(let device): 20 + 10 * device
    case .wallet(.app, let device): 21 + 10 * device
    case .wallet(.extension, let device): 22 + 10 * device
    case .other: 1000
    }
  }

  var name: String {
    let words =
      switch self {
      case .payments: "payments"
      case .events: "user, faults"
      case .peer: "peer"
      case .phone: "phone"
      case .wallet(let role, _): role.rawValue
      case .other(let name): name
      }
    return device == 0 ? words : "\(words) \(device + 1)"
  }
}

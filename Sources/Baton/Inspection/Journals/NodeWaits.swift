import Ground
import Guardrails
import PhonePolicy
import Simulation

/// Measures from the journals how long the app waits until it is connected, after the extension has released the node
/// or has died with it.
package struct NodeWaits {
  package struct Wait: Hashable {
    package enum Kind: Hashable {
      /// From the extension's release, while the app was already open.
      case release
      /// From the extension's death with the node.
      case death
      /// From the opening of the app, after the extension's death with the node.
      case opening(startsApp: Bool)
    }

    package var kind: Kind
    package var took: TimeSpan

    package var sentence: String {
      let time = HumanText.span(took)
      return switch kind {
      case .release: "from the extension's release to the connected app: \(time)"
      case .death: "from the extension's death to the connected app: \(time)"
      case .opening(let startsApp):
        "from opening the app to the connected app: \(time)\(startsApp ? ", the app's start included" : "")"
      }
    }
  }

  private var openedAt: Instant?
  private var startsApp = false
  private var releasedAt: Instant?
  private var diedAt: Instant?
  private var extensionOwns = false

  private static let cores = [PhonePolicy.Phone.name, ExtensionMachine.name, AppMachine.name]

  /// The wait that ends with this record.
  package mutating func ended(by entry: JournalMerger.Entry) -> Wait? {
    guard let core = entry.line.header.core, Self.cores.contains(core) else { return nil }
    let now = entry.line.at
    switch CoreRecord(entry) {
    case .phone(let event, let directives):
      switch event {
      case .userOpened: (openedAt, startsApp) = (now, false)
      case .userWentHome: openedAt = nil
      default: break
      }
      if directives.contains(.launch(.app, .user)) { startsApp = true }
      for case .recordEnd(let role, _) in directives {
        switch role {
        case .app: openedAt = nil
        case .extension:
          if extensionOwns { diedAt = now }
          extensionOwns = false
        }
      }
    case .wallet(.extension, .guardrail(let event, let directives)):
      if case .claimed = event { (extensionOwns, releasedAt, diedAt) = (true, nil, nil) }
      for case .container(.beat(_, .released, _)) in directives { (extensionOwns, releasedAt) = (false, now) }
    // Also if the extension was frozen, and is fenced when it goes on.
    case .wallet(.app, .guardrail(.claimed, _)): extensionOwns = false
    case .wallet(.app, .guardrail(.node(.established), _)): return connected(at: now)
    default: break
    }
    return nil
  }

  private mutating func connected(at instant: Instant) -> Wait? {
    defer { (releasedAt, diedAt) = (nil, nil) }
    guard let openedAt else { return nil }
    if let diedAt {
      return openedAt < diedAt
        ? Wait(kind: .death, took: instant - diedAt)
        : Wait(kind: .opening(startsApp: startsApp), took: instant - openedAt)
    }
    guard let releasedAt, openedAt < releasedAt else { return nil }
    return Wait(kind: .release, took: instant - releasedAt)
  }
}

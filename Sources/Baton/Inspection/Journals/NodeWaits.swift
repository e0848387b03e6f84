import Ground
import Guardrails
import PhonePolicy

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

  /// The wait that ends with this record.
  package mutating func ended(by entry: JournalMerger.Entry) -> Wait? {
    guard entry.line.header.kind == "event" else { return nil }
    switch entry.line.header.core {
    case PhonePolicy.Phone.name:
      if let body = EventBody<PhoneEvent, PhoneDirective>(entry.line) { note(body, at: entry.line.at) }
    case ExtensionMachine.name:
      if let body = EventBody<GuardEvent, GuardDirective>(entry.line) { note(body, at: entry.line.at) }
    case AppMachine.name:
      guard let body = EventBody<GuardEvent, GuardDirective>(entry.line) else { return nil }
      // Also if the extension was frozen, and is fenced when it goes on.
      if case .claimed = body.event { extensionOwns = false }
      guard case .node(.established) = body.event else { return nil }
      return connected(at: entry.line.at)
    default: break
    }
    return nil
  }

  private mutating func note(_ body: EventBody<PhoneEvent, PhoneDirective>, at instant: Instant) {
    switch body.event {
    case .userOpened: (openedAt, startsApp) = (instant, false)
    case .userWentHome: openedAt = nil
    default: break
    }
    if body.directives.contains(.launch(.app, .user)) { startsApp = true }
    for case .recordEnd(let role, _) in body.directives {
      switch role {
      case .app: openedAt = nil
      case .extension:
        if extensionOwns { diedAt = instant }
        extensionOwns = false
      }
    }
  }

  private mutating func note(_ body: EventBody<GuardEvent, GuardDirective>, at instant: Instant) {
    if case .claimed = body.event { (extensionOwns, releasedAt, diedAt) = (true, nil, nil) }
    for case .container(.beat(_, .released, _)) in body.directives {
      (extensionOwns, releasedAt) = (false, instant)
    }
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

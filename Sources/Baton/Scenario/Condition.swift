import Ground

/// A condition that a story waits for.
public enum Condition: Hashable, Sendable {
  case runs(Role)
  case ended(Role)
  case connected(Role)
  case holds(Role)
  case noHolder
  case appShows(String)
  case settled(number: Int)
  case failed(number: Int)
  case waits(number: Int)
  case senderAnswered(number: Int)
  case invoiceExpired(number: Int)
  case kept(number: Int)
  case shown(number: Int)
  case invoicePaid(number: Int)
  case invoiceFailed(number: Int)
  case frozen(Role)
  case suspended(Role)
  case inFront
  case shownAsSent
  case sees(title: String)
  case screenShows(String)
  case silentPushOver
  case silentPushCompleted
  case taskOver(String)
  case taskRuns(String)
  case taskWaits(String, because: String)
  case audioPlays
  case warnedOfMemory
  /// No payment is pending, and both sides of the channel agree.
  case allSettled

  public func holds(in scene: Scene) -> Bool {
    switch self {
    case .runs(let role):
      switch scene[role].place {
      case .inFront, .inBackground, .suspended, .running: true
      case .notStarted, .ended, .starting, .ending: false
      }
    // Not if it has never run: it may be about to start.
    case .ended(let role): scene[role].hasEnded
    case .connected(let role): scene[role].isConnected && scene.holder == role
    case .holds(let role): scene.holder == role
    case .noHolder: scene.holder == nil
    case .appShows(let text): scene.app.shows == text
    case .settled(let number): scene.payments(number).contains { $0.state == .settled }
    case .failed(let number): scene.payments(number).contains { $0.isFailed }
    case .waits(let number): scene.payments(number).last?.state == .waits
    case .senderAnswered(let number): scene.sender(of: number).map { $0.told != .nothing } ?? false
    case .invoiceExpired(let number): scene.expiredInvoices.contains(number)
    case .kept(let number): scene.keptParts.contains(number)
    case .shown(let number):
      scene.notifications.contains { $0.tells(ofPayment: number) }
    case .invoicePaid(let number): scene.invoice(number) == .paid
    case .invoiceFailed(let number): scene.invoice(number) == .failed
    case .frozen(let role): scene[role].isFrozen
    case .suspended(let role): scene[role].place == .suspended
    case .inFront: scene.app.place == .inFront
    case .sees(let title): scene.notifications.contains { !$0.isAsSent && $0.title == title }
    case .screenShows(let text): scene.screen?.first == text
    case .shownAsSent: scene.notifications.contains(where: \.isAsSent)
    case .silentPushOver: scene.phone.silentPushes.last?.isOver ?? false
    case .silentPushCompleted: scene.phone.silentPushes.last?.code == .completed
    case .taskOver(let identifier): scene.phone.task(identifier)?.isOver ?? false
    case .taskRuns(let identifier): scene.phone.tasks.contains { $0.identifier == identifier && $0.runs }
    case .taskWaits(let identifier, let why):
      scene.phone.waiting.contains { $0.identifier == identifier && $0.why == why }
    case .audioPlays: scene.phone.playsAudio
    case .warnedOfMemory: scene.phone.isAppWarned
    case .allSettled: scene.payments.allSatisfy(\.isOver) && scene.isChannelEven
    }
  }

  /// Continues "gave up waiting for".
  public var words: String {
    switch self {
    case .runs(let role): "the \(role.rawValue) to run"
    case .ended(let role): "the \(role.rawValue) to end"
    case .connected(let role): "the \(role.rawValue) to be connected"
    case .holds(let role): "the \(role.rawValue) to hold the node"
    case .noHolder: "the node to be free"
    case .appShows(let text): "the app to show “\(text)”"
    case .settled(let number): "payment \(number) to settle"
    case .failed(let number): "payment \(number) to fail"
    case .waits(let number): "payment \(number) to wait for the wallet"
    case .senderAnswered(let number): "the sender of payment \(number) to have an answer"
    case .invoiceExpired(let number): "the invoice of payment \(number) to expire"
    case .kept(let number): "a part of payment \(number) to be kept by the wallet"
    case .shown(let number): "the user to see payment \(number)"
    case .invoicePaid(let number): "invoice \(number) to be paid"
    case .invoiceFailed(let number): "the payment of invoice \(number) to fail"
    case .frozen(let role): "the \(role.rawValue) to be frozen"
    case .suspended(let role): "the \(role.rawValue) to be suspended"
    case .inFront: "the app to be in front"
    case .sees(let title): "the user to see “\(title)”"
    case .screenShows(let text): "the app's screen to show “\(text)”"
    case .shownAsSent: "the user to see a push as it was sent"
    case .silentPushOver: "the newest silent push to be over"
    case .silentPushCompleted: "the app to complete the newest silent push"
    case .taskOver(let identifier): "the task “\(identifier)” to be over"
    case .taskRuns(let identifier): "the task “\(identifier)” to run"
    case .taskWaits(let identifier, let why): "the task “\(identifier)” to wait, as “\(why)”"
    case .audioPlays: "the app to play audio"
    case .warnedOfMemory: "the app to get a memory warning"
    case .allSettled: "everything to be settled"
    }
  }
}

extension Scene.Payment {
  var isFailed: Bool { if case .failed = state { true } else { false } }

  var isOver: Bool { state == .settled || isFailed }
}

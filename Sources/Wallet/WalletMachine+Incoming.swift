import Ground
import Guardrails

// The parts of an app that completes what an extension without a node announces: its screen, and its opening.
extension WalletMachine {
  func tellOpening(_ event: OpeningEvent, _ turn: inout WalletTurn) {
    if opening != nil { turn.tell(.opening(event)) }
  }

  private func tellIncoming(_ event: IncomingEvent, _ turn: inout WalletTurn) {
    if incoming != nil { turn.tell(.incoming(event)) }
  }

  func noteOpening(_ event: GuardEvent, _ directives: [GuardDirective], _ turn: inout WalletTurn) {
    switch event {
    case .enteredForeground:
      tellIncoming(.activated, &turn)
      tellOpening(.asked(.user), &turn)
    case .enteredBackground:
      tellIncoming(.deactivated, &turn)
      tellOpening(.left, &turn)
    case .silentPushArrived where directives.contains(.look): tellOpening(.asked(.silentPush), &turn)
    case .nodeWanted:
      if directives.contains(.look) { tellOpening(.asked(.scheduledTask), &turn) }
      tellIfNodeIsReady(&turn)
    default: break
    }
  }

  func informOpening(of directive: GuardDirective, _ turn: inout WalletTurn) {
    switch directive {
    case .show(let status):
      tellOpening(.shown(status), &turn)
      tellIncoming(.shown(status), &turn)
      tellIfNodeIsReady(&turn)
    case .noteFailure(let failure) where background.awaitsNode:
      turn.tell(.background(.nodeHindered(failure.text)))
    // The app came to the front meanwhile: the run waits for the app's own node, which may be ready already.
    case .completed where isInFront: tellIfNodeIsReady(&turn)
    default: break
    }
  }

  private func tellIfNodeIsReady(_ turn: inout WalletTurn) {
    if let status, status.code.isConnected, background.awaitsNode { turn.tell(.background(.nodeReady)) }
  }

  func informOpening(of news: NodeNews, _ turn: inout WalletTurn) {
    switch news {
    case .connecting: tellOpening(.connecting, &turn)
    case .received(let receipt): tellIncoming(.received(ReceivedPayment(receipt)), &turn)
    case .holdEnded(let hash): tellIncoming(.holdEnded(hash), &turn)
    // The screen has counted on a new connection.
    case .connectionKept: if let status { tellIncoming(.shown(status), &turn) }
    default: break
    }
  }

  /// Also of an HTLC that is not committed on both sides yet, as on a slow connection: it is pending all the same.
  func tellOfArriving(_ turn: inout WalletTurn) {
    guard let incoming, incoming.collected != node.arriving else { return }
    turn.tell(.incoming(.collecting(node.arriving)))
  }

  mutating func dispatch<Observer: WalletObserver>(
    _ event: IncomingEvent, _ turn: inout WalletTurn, _ observer: inout Observer
  ) where Observer.Guard == Guard {
    guard var core = incoming else { return }
    let wasWaiting = core.isWaiting
    let directives = core.handle(event, at: turn.now)
    incoming = core
    observer.handled(event, directives)
    for directive in directives {
      switch directive {
      case .show(let screen): turn.order(.showScreen(screen))
      case .read(let hashes): turn.order(.readIncoming(hashes))
      case .remove(let records): turn.order(.removeIncoming(records))
      case .withdrawAnnouncement(let hash): turn.order(.withdrawAnnouncement(of: hash))
      case .connectAgain: turn.tell(.node(.reconnectRequested))
      case .copy(let text): turn.order(.copy(text))
      case .answerPress(let id, let refusal): turn.order(.answerPress(id, refusal: refusal))
      case .tidyWanted: tellOpening(.workCame(.incomingRecords), &turn)
      case .tidied(let step): tellOpening(.stepDone(.incomingRecords, step), &turn)
      }
    }
    if core.isWaiting != wasWaiting { tellOpening(.paymentsAwaited(core.isWaiting), &turn) }
    switch event {
    case .recordsNotRead(.lost(let sentence)), .notRemoved(.lost(let sentence)):
      turn.tell(.guardrail(.containerLost(sentence)))
    default: break
    }
  }

  mutating func dispatch<Observer: WalletObserver>(
    _ event: OpeningEvent, _ turn: inout WalletTurn, _ observer: inout Observer
  ) where Observer.Guard == Guard {
    guard var core = opening else { return }
    let directives = core.handle(event, at: turn.now)
    opening = core
    observer.handled(event, directives)
    for directive in directives {
      switch directive {
      case .enter: break
      case .take(.incomingRecords): tellIncoming(.tidyAsked, &turn)
      case .take(.journals): turn.order(.tidyJournals)
      }
    }
  }
}

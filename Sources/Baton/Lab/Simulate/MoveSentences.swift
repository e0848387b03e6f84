import Ground
import Simulation

/// Sentences for the inputs of a simulated world: user actions and faults. Other moves show in their effects.
enum MoveSentences {
  static func of(_ move: Move) -> String? {
    switch move {
    case .work, .wake, .hear, .readPresence, .peerReads, .walletReads, .peerWakes, .senderWakes, .phoneWakes,
      .timePasses, .open,
      .home, .quit, .invoice, .pay, .payPart:
      nil
    case .send(let number, let isKnown):
      "the user pays external invoice \(number + 1)\(isKnown ? "" : ", which its recipient no longer knows")"
    case .cancel(let invoice): "the user cancels invoice \(invoice + 1)"
    case .withdraw(let amount):
      "the user withdraws \(HumanText.amount(msat: amount &* 1000)) on chain"
    case .press(let button): "the user presses “\(button.title)”, if it is there"
    case .followLink: "the user follows a link of the wallet"
    case .beginTask: "the user starts a task that continues in the background"
    case .takeOtherDevice: "the user opens the app on the other device, which has the same seed"
    case .askToMove: "the user asks to move the wallet to this device"
    case .onOther(let move): of(move)
    case .endTask: "the user's task is done"
    case .network(isThere: false): "the phone loses its network"
    case .network(isThere: true): "the phone has its network again"
    case .kill(let role): "the \(role.rawValue) is killed"
    case .freeze(let role): "the \(role.rawValue) is frozen"
    case .freezeInside(let role):
      "the \(role.rawValue) is frozen inside a transaction, if it is about to write"
    case .thaw(let role): "the \(role.rawValue) thaws"
    case .losePresence: "a presence message is lost"
    case .repeatPresence: "a presence message is repeated"
    case .delayPresence: "a presence message is late"
    case .cut(let wire): "connection \(wire) breaks; messages in flight are lost"
    case .slow(let wire): "messages on connection \(wire) are slow"
    case .restartPeer: "the peer restarts"
    case .stopPeer: "the peer goes down"
    case .startPeer: "the peer comes up again"
    case .replaceLock(let role): "the lock file of the \(role.rawValue) is replaced by a new file"
    case .loseBeat(let role): "the beats of the \(role.rawValue) are erased"
    case .failStorage(let role, let fault):
      "storage fault: the \(role.rawValue)'s next \(fault.words)"
    case .fillDisk(let isFull): isFull ? "the disk is full" : "the disk has room again"
    case .reboot: "the phone reboots"
    case .deviceSleeps(let span): "the device sleeps for \(HumanText.span(span))"
    case .losePush: "the next push will be lost"
    case .stepClock(let span):
      "the wall clock is set \(span < .zero ? "back" : "forward") by \(HumanText.span(TimeSpan(nanoseconds: abs(span.nanoseconds))))"
    case .copyDatabase: "a copy of the database is made"
    case .restoreCopy:
      "the phone is switched off, the old copy of the database is restored, and the phone is switched on"
    case .noMoreFaults(let userStaysAway):
      "from here on there are no faults, and the user \(userStaysAway ? "stays away" : "has the app in front")"
    }
  }
}

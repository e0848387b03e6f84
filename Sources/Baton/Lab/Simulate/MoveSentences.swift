import PhoneClient
import Ground
import Simulation

/// What fate and people do in a simulated world, in words. What follows from it speaks for itself.
enum MoveSentences {
  static func of(_ move: Move) -> String? {
    switch move {
    case .work, .wake, .hear, .readPresence, .peerReads, .walletReads, .peerWakes, .phoneWakes, .timePasses,
      .open,
      .home, .quit, .invoice, .pay, .payPart:
      nil
    case .send(let number, let isKnown):
      "the user pays invoice \(number + 1) of another payee\(isKnown ? "" : ", which its maker knows nothing of")"
    case .cancel(let invoice): "the user cancels invoice \(invoice + 1)"
    case .withdraw(let amount):
      "the user takes \(HumanText.amount(msat: amount &* 1000)) out of the channel on chain"
    case .beginTask: "the user sends something, which goes on in the background"
    case .endTask: "what the user sent is done"
    case .network(isThere: false): "the phone has no network any more"
    case .network(isThere: true): "the phone has a network"
    case .kill(let role): "the \(role.rawValue) is killed"
    case .freeze(let role): "the \(role.rawValue) is frozen"
    case .freezeInside(let role):
      "the \(role.rawValue) is frozen inside a transaction, if it is about to write"
    case .thaw(let role): "the \(role.rawValue) thaws"
    case .losePresence: "a presence message is lost"
    case .repeatPresence: "a presence message comes twice"
    case .delayPresence: "a presence message is late"
    case .cut(let wire): "connection \(wire) breaks, with all that was on its way"
    case .slow(let wire): "what is sent on connection \(wire) is slow to arrive"
    case .restartPeer: "the peer restarts"
    case .replaceLock(let role): "a new file is put in the place of the \(role.rawValue)'s lock"
    case .loseBeat(let role): "the \(role.rawValue)'s beats are wiped out"
    case .failStorage(let role, let fault): "of the \(role.rawValue) \(fault.sentence), the next one"
    case .fillDisk(let isFull): isFull ? "the disk is full" : "the disk has room again"
    case .reboot: "the phone reboots"
    case .deviceSleeps(let span): "the device sleeps for \(HumanText.span(span))"
    case .losePush: "the next push will be lost"
    case .stepClock(let span):
      "the wall clock is set \(span < .zero ? "back" : "forward") by \(HumanText.span(TimeSpan(nanoseconds: abs(span.nanoseconds))))"
    case .copyDatabase: "a copy of the database is made"
    case .restoreCopy: "the phone is switched off, the old copy of the database put back, and switched on"
    case .noMoreFaults: "from here on nothing goes wrong, and the user looks at the app"
    }
  }
}

import LightningProvider
import Lightning
import Simulation

extension WorldSender {
  /// What it was told last; nil before its first attempt.
  var scene: Scene.Sender? {
    let told: Scene.Sender.Told
    switch self.told {
    case nil, .retrying, .skipped, .refused: told = .nothing
    case .settled, .alreadyPaid: told = .settled
    case .pending, .alreadyPending: told = .pending
    case .failed(let failure):
      let message = SenderMessage(failure)
      told = .failed(.init(headline: message.headline, text: message.text, button: message.button))
    }
    return Scene.Sender(number: invoice + 1, attempts: machine.attempt, told: told)
  }
}

extension [PeerDirective] {
  func stores(_ change: LedgerChange) -> Bool {
    contains { if case .store(let changes) = $0 { changes.contains(change) } else { false } }
  }
}

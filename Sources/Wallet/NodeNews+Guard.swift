// Wallet: combines the guard, the node, the user's requests and the background work into one wallet. Pure: it talks
// to the container, the wire and the phone through directives alone, so the processes and the simulation run the same
// wallet.

import Guardrails

extension NodeReport {
  /// The node's report in the guard's terms; nil for news that do not concern the guard.
  public init?(_ news: NodeNews) {
    switch news {
    case .connecting: self = .connecting
    case .established: self = .established
    case .busy(let activity): self = .busy(activity)
    case .received(let receipt): self = .received(ReceivedPayment(receipt))
    case .holdEnded, .connectionKept: return nil
    case .stopped: self = .stopped
    case .fenced: self = .fenced
    case .refused(let answer): self = .refused(highest: answer.highest, container: answer.container)
    case .trouble(let sentence): self = .trouble(sentence)
    }
  }
}

extension ReceivedPayment {
  public init(_ receipt: Receipt) {
    self.init(
      paymentHash: receipt.invoice.paymentHash, amountMsat: receipt.amountMsat, text: receipt.invoice.text)
  }
}

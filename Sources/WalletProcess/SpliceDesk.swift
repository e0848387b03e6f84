import DaemonRuntime
import Guardrails
import Lightning

/// Takes money out of the channel on chain when the person says so, and keeps the app at work until that is over: as a
/// task with a name, whose end belongs to its beginning.
final class SpliceDesk {
  private static let network = BitcoinNetwork.regtest

  private let node: NodeShell
  private var task = SpliceTask()

  var onAnswer: ((ControlMessage) -> Void)?
  /// What the person reads in the app.
  var status: (() -> Status?)?
  var onTask: ((GuardEvent) -> Void)?

  init(node: NodeShell) {
    self.node = node
    node.onSplice = { [unowned self] in heard($0) }
  }

  func asked(_ message: ControlMessage) {
    let request = message["request"] ?? ""
    do {
      let amount = try message.integer("amount-sat", in: 1...TransactionOutput.mostSatoshis)
      let address = try BitcoinAddress(decoding: try message.required("address"), on: Self.network)
      guard let begun = task.begin(amountSat: amount, for: request) else {
        return refuse(request, SpliceTask.underWay)
      }
      onTask?(.taskBegan(begun))
      node.splice(SpliceRequest(amountSat: amount, script: OutputScript(address)))
    } catch { refuse(request, "\(error)") }
  }

  private func heard(_ news: SpliceNews) {
    switch news {
    case .started(let pending):
      if let entry = task.nodeStarted(pending: pending?.text) { onTask?(.taskEnded(entry.task)) }
    case .begun(let splice):
      guard let entry = task.begun(splice.id.text), let request = entry.request else { return }
      onAnswer?(
        ControlMessage(
          "withdraw-done",
          [
            "request": request, "txid": splice.id.text, "amount-sat": "\(splice.amountSat)",
            "fee-sat": "\(splice.feeSat)",
          ]))
    case .refused(let sentence):
      guard let entry = task.refused() else { return }
      onTask?(.taskEnded(entry.task))
      if let request = entry.request { refuse(request, NodeRefusal.sentence(sentence, status?())) }
    case .ended(let id, _):
      if let entry = task.ended(id.text) { onTask?(.taskEnded(entry.task)) }
    }
  }

  private func refuse(_ request: String, _ sentence: String) {
    onAnswer?(ControlMessage("withdraw-failed", ["request": request, "message": sentence]))
  }
}

import CBaton

/// The phone and the user, as C directives.
final class CPhone: AppPhone, ExtensionPhone {
  private typealias Message = Outbox.Message
  private let outbox: Outbox

  init(outbox: Outbox) { self.outbox = outbox }

  func show(_ status: NodeStatus) { outbox.append(Message(status)) }
  func notify(_ payment: ReceivedPayment) { outbox.append(Message(BATON_NOTIFY, payment)) }
  func withdrawNotification(of payment: PaymentHash) {
    outbox.append(Message(BATON_WITHDRAW, bytes: payment.bytes))
  }
  func send(presence: [UInt8]) { outbox.append(Message(BATON_SEND_PRESENCE, bytes: presence)) }
  func mayConnect(toPeer: Bool, toOthers: Bool) {
    outbox.append(Message(BATON_MAY_CONNECT, code: (toPeer ? 1 : 0) + (toOthers ? 2 : 0)))
  }
  func note(_ line: String) { outbox.append(Message(BATON_NOTE, text: line)) }
  func beginBackgroundTask(_ task: UInt64, name: String?) {
    outbox.append(Message(BATON_BEGIN_TASK, id: task, text: name))
  }
  func endBackgroundTask(_ task: UInt64) { outbox.append(Message(BATON_END_TASK, id: task)) }
  func completed(silentPush: UInt64, _ result: SilentPushOutcome) {
    outbox.append(Message(BATON_COMPLETED, code: Int32(result.code), id: silentPush))
  }
  func finished(push: UInt64, _ reason: FinishReason) {
    outbox.append(Message(BATON_FINISHED, code: Int32(reason.code), id: push))
  }
  func ended(_ reason: EndReason) { outbox.append(Message(BATON_ENDED, code: Int32(reason.code))) }

  func deliver(_ result: PushOutcome, for push: UInt64) {
    var message = Message(BATON_DELIVER, code: Int32(result.code), id: push)
    switch result {
    case .received(let payment): message.tell(of: payment)
    case .nothingReceived(let reason): message.number = UInt64(reason.code)
    case .partsWait, .partsGivenBack, .appContinues, .usedByAnotherDevice, .announced: break
    }
    outbox.append(message)
  }
}

extension Outbox.Message {
  fileprivate init(_ kind: CEnum, _ payment: ReceivedPayment) {
    self.init(kind)
    tell(of: payment)
  }

  fileprivate mutating func tell(of payment: ReceivedPayment) {
    number = payment.amountMsat
    text = payment.text
    bytes = payment.paymentHash.bytes
  }

  fileprivate init(_ status: NodeStatus) {
    self.init(BATON_SHOW, code: Int32(status.code))
    switch status {
    case .idle, .waitingForExtension, .appGoesFirst, .claiming, .usedByAnotherDevice, .peerOutOfReach: break
    case .waitingForProcess(let pid): id = UInt64(clamping: pid)
    case .blocked(let pid, _): id = UInt64(clamping: pid ?? 0)
    case .connecting(let epoch), .connected(let epoch), .settling(let epoch), .releasing(let epoch):
      number = epoch
    case .hindered(let epoch, let trouble):
      number = epoch
      text = trouble
    case .failed(let error):
      number = UInt64(clamping: error.code)
      text = error.description
    }
  }
}

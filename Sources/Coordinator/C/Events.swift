import CBaton

extension Handle {
  /// Passes a C event on to the coordinator.
  func tell(_ event: baton_message, to coordinator: NodeCoordinator<CNode>) -> Int32 {
    let text = event.text.map { String(cString: $0) } ?? ""
    let bytes = [UInt8](UnsafeBufferPointer(start: event.bytes, count: event.bytes == nil ? 0 : event.length))
    switch CEnum(event.kind) {
    case BATON_EVENT_PUSH, BATON_EVENT_SILENT_PUSH: return push(event, bytes, to: coordinator)
    case BATON_EVENT_TIME_WILL_EXPIRE: coordinator.timeWillExpire(push: event.id)
    case BATON_EVENT_BACKGROUND_TIME_EXPIRED: coordinator.backgroundTimeExpired(task: event.id)
    case BATON_EVENT_TERMINATION_REQUESTED: coordinator.terminationRequested()
    case BATON_EVENT_NETWORK: coordinator.networkChanged(isThere: event.code != 0)
    case BATON_EVENT_MOVE_HERE: coordinator.moveHere()
    case BATON_EVENT_TASK_BEGAN: coordinator.taskBegan(text, generation: event.number)
    case BATON_EVENT_TASK_ENDED: coordinator.taskEnded(text, generation: event.number)
    case BATON_EVENT_PRESENCE: coordinator.presenceHeard(bytes)
    case BATON_EVENT_PARTNER_ENDED: coordinator.partnerEnded()
    default:
      guard let news = news(event, text, bytes) else {
        return misuse("unknown kind of event, or bytes of a wrong length")
      }
      node.heard(news, of: event.id)
    }
    return Code.ok
  }

  private func push(_ event: baton_message, _ bytes: [UInt8], to coordinator: NodeCoordinator<CNode>) -> Int32
  {
    guard let reason = PushReason(code: event.code) else { return misuse("unknown reason of a push") }
    let payment = PaymentHash(bytes)
    guard payment != nil || bytes.isEmpty else { return misuse("a payment hash has 32 bytes") }
    if CEnum(event.kind) == BATON_EVENT_PUSH {
      coordinator.push(event.id, reason, payment: payment)
    } else {
      let time = event.number == 0 ? nil : Int64(clamping: event.number)
      coordinator.silentPush(event.id, reason, payment: payment, forNanoseconds: time)
    }
    return Code.ok
  }

  private func news(_ event: baton_message, _ text: String, _ bytes: [UInt8]) -> NodeReport? {
    switch CEnum(event.kind) {
    case BATON_EVENT_CONNECTING: .connecting
    case BATON_EVENT_ESTABLISHED: .established
    case BATON_EVENT_BUSY:
      hashes(bytes).map {
        .busy(
          NodeActivity(
            isSettling: CEnum(event.code) & BATON_SETTLING != 0, collecting: $0,
            isSplicing: CEnum(event.code) & BATON_SPLICING != 0))
      }
    case BATON_EVENT_RECEIVED:
      PaymentHash(bytes).map {
        .received(ReceivedPayment(paymentHash: $0, amountMsat: event.number, text: text))
      }
    case BATON_EVENT_STOPPED: .stopped
    case BATON_EVENT_NODE_FENCED: .fenced
    case BATON_EVENT_REFUSED: ContainerID(bytes).map { .refused(highest: event.number, container: $0) }
    case BATON_EVENT_TROUBLE: .trouble(text)
    default: nil
    }
  }

  /// The hashes are concatenated.
  private func hashes(_ bytes: [UInt8]) -> [PaymentHash]? {
    let starts = stride(from: 0, to: bytes.count, by: PaymentHash.size)
    let hashes = starts.map { PaymentHash(bytes[$0...].prefix(PaymentHash.size)) }
    return hashes.contains(nil) ? nil : hashes.compactMap(\.self)
  }
}

import Wallet

/// Node and peer in conversation, with an attacker's messages in between, and with process ends, delays and container
/// failures at any step. Neither may trap, create or lose money, or store a state that it cannot read.
enum ConversationFuzz: FuzzTarget {
  static let name = "conversation"
  static let longestInput = 128

  private enum Step: UInt8, CaseIterable {
    case settle, toPeer, toNode, answer, start, pay, invoice, attackerToPeer, attackerToNode, pass, hangUp,
      stop
    case handOver, containerFails, backup, otherConnection
    case externalInvoice, send, splice
  }

  static var seeds: [[UInt8]] {
    let start: [UInt8] = [Step.start.rawValue, 3, 1, 7]
    let settle = [Step.settle.rawValue]
    let invoice: [UInt8] = [Step.invoice.rawValue, 1, 10]
    let pay: [UInt8] = [Step.pay.rawValue, 1, 10, 60]
    let attacker = SampleMessages.all.flatMap { message -> [UInt8] in
      let bytes = message.encoded()
      return bytes.count < 60 ? [Step.attackerToPeer.rawValue, 0, 0] + ByteSource.write(bytes) : []
    }
    return [
      start + settle + invoice + settle + pay + settle + [Step.stop.rawValue, 1] + settle,
      invoice + pay + start + settle + [Step.hangUp.rawValue] + settle + [Step.pass.rawValue, 40] + settle,
      start + settle + attacker,
      start + settle + (1..<7).flatMap { [Step.attackerToPeer.rawValue, 0, $0, 0, 0, 0] },
      start + settle + (1..<7).flatMap { [Step.attackerToNode.rawValue, $0, 0, 1, 0] },
      pay + [Step.pass.rawValue, 255] + start + settle + pay + settle,
      start + [Step.toPeer.rawValue, Step.answer.rawValue, Step.toNode.rawValue] + [
        Step.containerFails.rawValue, 1,
      ],
      start + settle + [Step.externalInvoice.rawValue, 2, 10, Step.send.rawValue, 2, 10] + settle
        + [Step.send.rawValue, 2, 10] + settle,
      start + settle + [Step.send.rawValue, 3, 10, Step.answer.rawValue, Step.hangUp.rawValue] + settle
        + [Step.pass.rawValue, 40] + settle,
      start + settle + [Step.splice.rawValue, 20] + settle + pay + settle,
      start + settle + [Step.splice.rawValue, 20]
        + (0..<12).flatMap { _ in [Step.answer.rawValue, Step.toPeer.rawValue, Step.toNode.rawValue] }
        + [Step.hangUp.rawValue] + settle + [Step.pass.rawValue, 40] + settle,
      start + settle + (0..<10).flatMap { [Step.attackerToPeer.rawValue, 0, 9, 0, $0, 0, 0] },
      start + settle + (0..<10).flatMap { [Step.attackerToNode.rawValue, 9, 0, $0, 0, 0] },
      [Step.otherConnection.rawValue, 9] + start + settle + [Step.handOver.rawValue] + pay + settle,
    ]
  }

  static func feed(_ bytes: [UInt8]) {
    var source = ByteSource(bytes)
    var conversation = Conversation()
    while !source.isAtEnd { take(&source, &conversation) }
  }

  private static func take(_ source: inout ByteSource, _ conversation: inout Conversation) {
    switch Step.allCases[Int(source.byte()) % Step.allCases.count] {
    case .settle: settle(&conversation)
    case .toPeer: _ = conversation.deliverToPeer()
    case .toNode: _ = conversation.deliverToNode()
    case .answer: _ = conversation.answer()
    case .start:
      conversation.start(
        epoch: UInt64(source.byte()), incarnation: UInt64(source.byte()), container: UInt64(source.byte()))
    case .pay:
      conversation.pay(
        source.byte() % 8, amountMsat: UInt64(source.byte()) * 1000,
        holdNanoseconds: Int64(source.byte()) * 1_000_000_000)
    case .invoice:
      conversation.tell(
        .invoiceMade(
          Invoice(
            paymentHash: Conversation.paymentHash(source.byte() % 8),
            amountMsat: UInt64(source.byte()) * 1000,
            text: "", tweak: .zero, expiresAt: .max)))
    case .externalInvoice:
      conversation.makeExternalInvoice(source.byte() % 8, amountMsat: UInt64(source.byte()) * 1000)
    case .send: conversation.send(source.byte() % 8, amountMsat: UInt64(source.byte()) * 1000)
    case .splice: conversation.splice(satoshis: UInt64(source.byte()) * 1000)
    case .attackerToPeer:
      let other = source.byte()
      guard let message = AttackerMessage.draw(&source) else { return }
      conversation.sayToPeer(message, from: other == 0 ? nil : UInt64(other))
    case .attackerToNode:
      guard let message = AttackerMessage.draw(&source) else { return }
      conversation.tell(.received(message))
    case .pass: conversation.pass(UInt64(source.byte()) * 100_000_000)
    case .hangUp: conversation.hangUp()
    case .stop: conversation.tell(.stopRequested(gracefully: source.byte() == 0))
    case .handOver: conversation.tell(.handoverRequested)
    case .containerFails:
      let ends: [NodeEvent] = [.storeBlocked, .storeFailed("x"), .fenced, .rowRead(nil)]
      conversation.failContainer(ends[Int(source.byte()) % ends.count])
    case .backup: conversation.tell(.backupReceived(NodeBackup.read(source.counted())))
    case .otherConnection: conversation.hear(.connected(connection: UInt64(source.byte())))
    }
  }

  /// Makes all pending steps, up to a bound.
  private static func settle(_ conversation: inout Conversation) {
    for _ in 0..<32 {
      let went = [conversation.answer(), conversation.deliverToPeer(), conversation.deliverToNode()]
      if !went.contains(true) { return }
    }
  }
}

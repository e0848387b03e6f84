import Ground
import Guardrails
import Lightning
import PhonePolicy
import Wallet

// The port to the phone, to the user and to the other process.
extension World {
  mutating func carryOut(_ order: PhoneOrder, _ life: inout Life) {
    switch order {
    case .guardrail(.say(let message)):
      if lives[life.role.other] != nil {
        presenceQueue.append(QueuedPresence(to: life.role.other, event: .presenceHeard(message)))
      }
    case .guardrail(.mayConnect), .guardrail(.noteFailure): break
    case .guardrail(.show(let status)):
      life.status = status
      if !settings.reusesNumbers { life.shownSince = now }
      if life.role == .app, case .connected = status { appConnected() }
    case .guardrail(.deliver(let push, let outcome)):
      checkText(of: push, outcome, life)
      checkTold(push, outcome, &life)
      tellPhone(
        .contentDelivered(
          push: push, NotificationContent(outcome, of: settings.wallet).asText,
          key: outcome.payment?.hex ?? outcome.announcedPayment.map(WorldPushes.key(ofAnnouncement:))))
    case .notify(let payment, let withdraws):
      let hash = payment.paymentHash
      tellPhone(
        .notificationPosted(
          NotificationContent(payment).asText, key: hash.hex,
          withdraws: withdraws ? WorldPushes.key(ofAnnouncement: hash) : nil))
    case .withdrawAnnouncement(let payment):
      tellPhone(.notificationWithdrawn(key: WorldPushes.key(ofAnnouncement: payment)))
    case .guardrail(.finished(let push, let reason)):
      tellPhone(.serviceFinished(push: push, reason: reason.rawValue))
    case .guardrail(.completed(let push, let outcome)):
      tellPhone(.silentPushDone(push: push, outcome))
    case .guardrail(.backgroundDone): tellPhone(.backgroundDone(time: life.timeInBackground))
    case .guardrail(.beginBackgroundTask(let id, _)): tellPhone(.taskBegan(id: id, name: ""))
    case .guardrail(.endBackgroundTask(let id)): tellPhone(.taskEnded(id: id))
    case .guardrail(.end(let reason)):
      life.hasEnded = true
      say(.ended(life.role, reason.text))
    case .makeInvoice(let request, _, _, _): life.answers.append(.requests(invoiceMade(for: request)))
    case .answer(let request, let answer):
      if case .refused(.move, _) = answer { life.takesPlace = false }
      answered(request, answer)
    case .submit(let task):
      tellPhone(
        .task(
          .submitted(
            TaskRequest(
              identifier: task.identifier, kind: task.isRefresh ? .refresh : .processing,
              earliest: .seconds(task.earliestSeconds), requiresNetwork: task.needsNetwork,
              requiresExternalPower: task.needsPower))))
    case .complete(let task, let run, let isSuccess, _):
      checkCompletion(ofRun: run, &life)
      tellPhone(.task(.completed(identifier: task.identifier, run: run, isSuccess: isSuccess)))
    case .playAudio: tellPhone(.audio(.startRequested(AudioSession())))
    case .stopAudio: tellPhone(.audio(.stopped))
    case .showScreen(let screen): life.screen = screen
    // The phone's pasteboard, and the answer to its user, who does not wait for it.
    case .copy, .answerPress: break
    case .tidyJournals:
      life.answers.append(.opening(.stepDone(.journals, .done("the simulation keeps no journals"))))
    case .cleanUp(let run):
      life.answers.append(.background(.stepDone(run: run, .done("the simulation keeps no journals"))))
    }
  }

  /// The wallet's answer to a request.
  private mutating func answered(_ request: String, _ answer: RequestAnswer) {
    if case .invoice(let hash) = answer { invoicing.noteStored(hash) }
    guard let request = UInt64(request) else { return }
    tellPhone(.appAnswered(request: request))
    switch answer {
    case .cancelled: cancelIsAnswered(request, nil)
    case .refused(.cancellation, let sentence), .unknown(.cancellation, let sentence):
      cancelIsAnswered(request, sentence)
    case .offered: sendIsAnswered(request, .offered)
    case .refused(.payment, let sentence), .unknown(.payment, let sentence):
      sendIsAnswered(request, .refused(sentence))
    case .begun(let id, _, _): splices.answer(request, .begun(id))
    case .refused(.withdrawal, let sentence), .unknown(.withdrawal, let sentence):
      splices.answer(request, .refused(sentence))
    case .connected, .refused(.move, _): moveIsAnswered(request)
    default: break
    }
  }
}

extension NotificationContent {
  /// In the form of the wallet's processes.
  var asText: NotificationText {
    NotificationText(
      title: title, body: body, badgeIncrement: badgeIncrement,
      level: level.flatMap(InterruptionLevel.init) ?? .active, sound: sound, category: category)
  }
}

// The port to the wire.
extension World {
  mutating func carryOut(_ order: WireOrder, _ life: inout Life) {
    hasEffect.value = true
    switch order {
    case .dial: dial(&life)
    case .send(let messages): for message in messages { send(message, &life) }
    case .hangUp: hangUp(&life)
    case .cutOff: abandonWire(&life)
    }
  }

  private mutating func evictOthers(than id: UInt64) {
    for wire in wires.all where wire.id != id { endForPeer(wire.id, "another connection was opened") }
  }

  private mutating func dial(_ life: inout Life) {
    guard phone.device.hasNetwork else { return life.answer(.closed("the network is unreachable")) }
    guard !isPeerDown else { return life.answer(.closed("the peer does not run")) }
    let id = numbers.wire(besides: wires.all)
    wires.dial(id, by: life.identity.pid, of: container.part { $0.pointee.id })
    life.wire = id
  }

  private mutating func send(_ outgoing: NodeOutgoing, _ life: inout Life) {
    guard let id = life.wire, wires[id]?.isOverForPeer == false else { return }
    let message: Message
    switch outgoing {
    case .message(let plain), .channel(.message(let plain)): message = plain
    case .backup(let backup): message = .peerStorage(backup)
    case .channel(.fulfill(let htlc, let hash)):
      if tellsOnly, life.role == .extension { report(.tellsOnly, "The extension sends a preimage.") }
      guard let channel = life.wallet.node.durableChannel, let preimage = invoicing[hash]?.preimage
      else { return }
      if exclusion == nil, !checkWhole(hash, shownBy: life) {
        report(.paidIsReceivedOnce, "The preimage leaves before all parts of its payment have arrived.")
      }
      message = channel.fulfilMessage(htlc, preimage: preimage)
    }
    if case .channelReestablish = message {
      wires.change(id) { $0.isDriven = true }
      exclusion?.value.noteDriving(&life)
    }
    checkDurable(message, of: life)
    checkBinding(message, of: life)
    let revision = life.wallet.node.durableChannel?.revision ?? 0
    let packet = Wire.Packet(
      message: message, isSound: revision <= life.soundRevision,
      isAskedMove: life.takesPlace && message.replacesClaim)
    wires.change(id) { $0.toPeer.append(packet) }
  }

  private mutating func hangUp(_ life: inout Life) {
    guard let id = life.wire, wires.change(id, { $0.isShutByWallet = true }) != nil else {
      return life.answer(.closed("there was no connection"))
    }
  }

  private mutating func abandonWire(_ life: inout Life) {
    if let id = life.wire { wires.abandon(id) }
    life.wire = nil
  }

  /// Without `Rule.completeSet` a part's `total_msat` is ignored.
  private func asRead(_ message: Message) -> Message {
    guard settings.without.contains(.completeSet), case .addHTLC(var part) = message else { return message }
    part.paymentData?.totalMsat = part.amountMsat
    return .addHTLC(part)
  }

  /// Adds the payment secrets, which no backup has.
  private func opened(_ blob: Blob) -> BackupReading {
    guard case .backup(var backup) = NodeBackup.read(blob.array) else { return NodeBackup.read(blob.array) }
    for index in backup.invoices.indices {
      let invoice = invoicing[backup.invoices[index].paymentHash]?.invoice
      backup.invoices[index].paymentSecret = invoice?.paymentSecret
    }
    return .backup(backup)
  }

  mutating func walletReads(_ id: UInt64) {
    guard let wire = wires[id], let role = role(ofPid: wire.owner) else { return }
    withLife(role) { world, life in
      if !wire.isAccepted {
        world.wires.change(id) { $0.isAccepted = true }
        life.answer(.dialled)
        if world.settings.without.contains(.evictAfterFence) { world.evictOthers(than: id) }
        world.tellPeer(.connected(connection: id))
      } else if let message = world.wires.change(id, { $0.toWallet.popFirst() }) ?? nil {
        if case .peerStorageRetrieval(let blob) = message {
          life.answer(.backupReceived(world.opened(blob)))
        } else {
          life.answer(.received(world.asRead(message)))
        }
      } else if wire.isShutByPeer {
        life.wire = nil
        world.wires.abandon(id)
        life.answer(.closed("the peer disconnected"))
      }
    }
  }
}

extension Message {
  /// In place of another container's claim.
  fileprivate var replacesClaim: Bool {
    if case .initMessage(let message) = self { message.replaces != nil } else { false }
  }
}

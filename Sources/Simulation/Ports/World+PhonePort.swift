import Ground
import Guardrails
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
      tellPhone(.silentPushDone(push: push, SilentPushResult(rawValue: outcome.rawValue) ?? .failed))
    case .guardrail(.backgroundDone): tellPhone(.backgroundDone(time: life.timeInBackground))
    case .guardrail(.beginBackgroundTask(let id, _)): tellPhone(.taskBegan(id: id, name: ""))
    case .guardrail(.endBackgroundTask(let id)): tellPhone(.taskEnded(id: id))
    case .guardrail(.end): life.hasEnded = true
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
    switch answer {
    case .invoice(let hash): invoicing.noteStored(hash)
    case .cancelled: answerCancel(request, nil)
    case .refused(.cancellation, let sentence), .unknown(.cancellation, let sentence):
      answerCancel(request, sentence)
    case .offered: answerSend(request, .offered)
    case .refused(.payment, let sentence), .unknown(.payment, let sentence):
      answerSend(request, .refused(sentence))
    case .begun(let id, _, _): answerWithdrawal(request, .begun(id))
    case .refused(.withdrawal, let sentence), .unknown(.withdrawal, let sentence):
      answerWithdrawal(request, .refused(sentence))
    case .connected, .refused(.move, _):
      guard let number = UInt64(request) else { return }
      moveIsAnswered(number)
      tellPhone(.appAnswered(request: number))
    default: break
    }
  }
}

extension NotificationContent {
  /// In the form of the wallet's processes.
  var asText: NotificationText {
    NotificationText(
      title: title, body: body, badgeIncrement: badgeIncrement,
      level: level.flatMap(InterruptionLevel.init) ?? .active,
      sound: sound, category: category)
  }
}

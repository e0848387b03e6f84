import Ground
import Lightning
import LightningProvider
import PhonePolicy

/// Sentences for `iosd`: starts and kills of processes, and what the user sees.
package enum PhoneSentences {
  package typealias Sentence = JournalNarrator.Sentence

  package static func of(_ event: PhoneEvent) -> Sentence? {
    switch event {
    case .userOpened: "the user opens the app"
    case .userWentHome: "the user goes to the home screen"
    case .userQuit: "the user swipes the app away"
    case .deviceChanged(let change): Sentence(DeviceSentences.of(change))
    case .pushArrived(let push): "push \(push.id) arrives\(words(push))"
    case .launchFailed(let role, let sentence): "cannot start the \(role.rawValue): \(sentence)"
    case .serviceFinished(let push, let reason): .detail("the extension has finished push \(push): \(reason)")
    case .foundHoldingLock(let role, let file): "the suspended \(role.rawValue) holds a lock on \(file)"
    case .notificationTouched(let id, _, .tap, _): "the user taps notification \(id)"
    case .notificationTouched(let id, _, .action(let action), _):
      "the user chooses \(action) of notification \(id)"
    case .notificationTouched(let id, _, .dismiss, _): "the user dismisses notification \(id)"
    case .linkOpened(_, let scheme): "the user follows a link (\(scheme):)"
    case .textCopied(let role): .detail("the \(role.rawValue) copies a text to the pasteboard")
    case .silentPushDone(let push, let result): .detail("the app completes push \(push): \(result.rawValue)")
    case .rebooted(_, true?): "the phone reboots, and is unlocked at once"
    case .rebooted: "the phone reboots"
    case .foundEnding(let role): "the \(role.rawValue) is already exiting"
    case .downRequested: "is asked to shut down"
    case .task(let event): of(event)
    case .audio(.startRequested): .detail("the app wants to play audio")
    case .audio(.stopped): .detail("the app stops its audio")
    case .deadlineReached, .processStarted, .helloSaid, .processEnded, .endAnnounced, .memorySampled,
      .memoryLimitEnforced, .contentDelivered, .notificationPosted, .notificationWithdrawn, .backgroundDone,
      .taskBegan, .taskEnded, .activityBegan, .activityEnded, .categoriesRegistered, .responseDone,
      .appAnswered, .appAsked:
      nil
    }
  }

  package static func of(_ directive: PhoneDirective) -> Sentence? {
    switch directive {
    case .launch(let role, let reason): .key("starts the \(role.rawValue): \(reason)")
    case .kill(let role, let reason): "kills the \(role.rawValue): \(reason)"
    case .endConnections(let role): "ends the connections of the \(role.rawValue): there is no network"
    case .suspend(let role): .key("suspends the \(role.rawValue)")
    case .resume(let role): .key("resumes the \(role.rawValue)")
    case .tell(let role, .activityExpired): "tells the \(role.rawValue) that its activity expires"
    case .tell(_, .taskExpiring): "tells the app that its background time has expired"
    case .show(let notification): .key("the user sees \(words(notification.text))")
    case .setBadge(let number): .detail("the badge on the wallet's icon is \(number)")
    case .withdraw: .detail("withdraws a notification")
    case .refuseContent(let push): "refuses the extension's second content for push \(push)"
    case .closeNotification(let id, let touch):
      .detail("notification \(id) is removed from the list: \(touch.word)")
    case .refuseNotification(let push, let why):
      "refuses \(push.map { "the content for push \($0)" } ?? "a notification"): \(why)"
    case .recordFate(let push, let fate): .key("push \(push): \(fate)")
    case .refuseCompletion(let push): "refuses the app's second completion of push \(push)"
    case .recordEnd(let role, let reason): .key("end of the \(role.rawValue): \(reason)")
    case .refuseAsk(_, let why): "refuses a request to the app: \(why)"
    case .recordTask(let record): of(record)
    case .refusePasteboard(_, let why): "leaves the pasteboard as it is: \(why)"
    case .refuseTaskCompletion(let identifier, _):
      "refuses the app's completion of the task \(identifier), which is not running"
    case .tell(_, .audio(let message)): of(message)
    case .tell(.app, .timeWillExpire(let push)): "tells the app that the time for push \(push) is over"
    case .tell(.extension, .timeWillExpire(let push)):
      "warns the extension that the time for push \(push) is nearly over"
    case .setPasteboard, .saveDevice, .saveCategories, .tell, .passOnAnswer, .boot, .powerOff: nil
    }
  }

  private static func words(_ push: PhonePush) -> String {
    if let alert = push.alert { return ": \(words(alert))" }
    return push.isSilent ? " (silent)" : " (a badge or a sound)"
  }

  static func words(_ text: NotificationText) -> String {
    text.body.isEmpty ? "“\(text.title)”" : "“\(text.title)”, \(text.body)"
  }
}

/// Sentences for changes of the device's state.
enum DeviceSentences {
  static func of(_ change: DeviceChange) -> String {
    switch change {
    case .locked: "the user locks the phone"
    case .unlocked: "the user unlocks the phone"
    case .lowPowerMode(let isOn): "Low Power Mode is switched \(word(isOn))"
    case .backgroundRefresh(let isOn): "Background App Refresh is switched \(word(isOn))"
    case .notifications(let areAllowed): "the wallet may show \(areAllowed ? "" : "no ")notifications"
    case .lockScreen(let isOn): "alerts of the wallet on the lock screen are switched \(word(isOn))"
    case .centre(let isOn): "alerts of the wallet in the Notification Centre are switched \(word(isOn))"
    case .banners(let isOn): "banners of the wallet are switched \(word(isOn))"
    case .focus(let isOn): "a Focus is switched \(word(isOn))"
    case .battery(let percent): "the battery is at \(percent) %"
    case .charger(let isPlugged): "the charger is \(isPlugged ? "plugged in" : "unplugged")"
    case .network(let isThere): "the phone \(isThere ? "has a network" : "loses its network")"
    case .storage(let isFull): isFull ? "the storage is full" : "the storage has free space"
    case .otherAudio(let plays): "\(plays ? "another" : "no other") app plays audio"
    }
  }

  private static func word(_ isOn: Bool) -> String { isOn ? "on" : "off" }
}

// Sentences for background tasks and audio.
extension PhoneSentences {
  package static func of(_ event: TaskEvent) -> Sentence? {
    switch event {
    case .launchedByHand(let identifier): "is asked to launch the task \(identifier) now"
    case .expiredByHand(let identifier): "is asked to expire the task \(identifier) now"
    case .submitted, .cancelled, .completed: nil
    }
  }

  package static func of(_ record: TaskRecord) -> Sentence? {
    let name = "the task \(record.request.identifier)"
    switch record.fate {
    case .waits(.tooEarly): return .detail("schedules \(name)")
    case .waits(let hindrance): return .detail("keeps \(name) waiting: \(hindrance)")
    case .replaced: return .detail("replaces \(name) with a newer request")
    case .cancelled: return .detail("cancels \(name), as the app asked")
    case .refused(let refusal): return "refuses \(name): \(refusal)"
    case .runs: return "runs \(name)"
    case .expires(let expiry): return "tells the app to end \(name): \(expiry)"
    case .completed(let isSuccess):
      return "\(name) completed\(isSuccess ? "" : " without success")"
    case .expired(let expiry): return "\(name) expired without completing: \(expiry)"
    case .lost: return "\(name) is lost: the app or the phone ended"
    }
  }

  package static func of(_ message: AudioMessage) -> Sentence? {
    switch message {
    case .plays: "the app plays audio"
    case .refused(let refusal): "the app's audio does not play: \(refusal)"
    case .interrupted: "the app's audio is interrupted by another app"
    case .ended: "the app's audio ended"
    }
  }
}

/// Sentences for `lspd`.
package enum PeerSentences {
  package typealias Sentence = JournalNarrator.Sentence

  package static func of(_ event: PeerEvent) -> Sentence? {
    switch event {
    case .deadlineReached: nil
    case .received(let connection, let message):
      .detail("receives \(message.name) on connection \(connection)")
    case .walletNamed(let node): .detail("the channel is with the node \(node.hex.prefix(8))…")
    case .connected(let connection, _): .detail("connection \(connection) opened")
    case .undecodable(let connection, let why): "connection \(connection) sent an undecodable message: \(why)"
    case .closed(let connection, let why): .detail("connection \(connection) ended: \(why)")
    case .payRequested(let request):
      .key(
        "is asked to pay \(HumanText.amount(msat: request.amountMsat)) (payment \(request.id)\(request.attempt.map { ", attempt \($0)" } ?? ""))"
      )
    case .failuresOrdered(let order):
      .key("is to fail the next \(order.left) payments with \(FailureCode(rawValue: order.code).words)")
    case .channelFailureOrdered: .key("is to fail the channel")
    case .announcementOrdered(.mutualClose):
      .key("is to force-close the channel, and to announce that to the wallet")
    case .announcementOrdered: .key("is to announce to the wallet that its channel order is paid")
    case .notificationOrdered(let notification):
      "is to notify the wallet's webhooks: \(notification.method.rawValue)"
    case .webhookCalled(let call, let outcome): "call \(call) to a webhook: \(outcome.word)"
    case .externalInvoiceMade(let invoice):
      "made an external invoice for \(HumanText.amount(msat: invoice.amountMsat))"
    }
  }

  package static func of(_ directive: PeerDirective) -> [Sentence] {
    switch directive {
    case .store(let changes): changes.compactMap(of)
    case .send(let connection, let message):
      [.detail("sends \(message.name) on connection \(connection)")]
    case .close(let connection, let why): ["closes connection \(connection): \(why)"]
    case .evict(let connection, let why): [.key("evicts connection \(connection): \(why)")]
    case .requestPush(let push):
      [
        .key(
          "asks the phone for a \(push.kind == .silent ? "silent push" : "push") (\(push.reason.rawValue))")
      ]
    case .webhook(.call(let call)):
      [.key("calls the webhook \(call.webhook.name): \(call.notification.method.rawValue)")]
    case .webhook(.cancel(let call)): ["ends call \(call) to a webhook"]
    case .answer(let payment, let outcome): [answer(payment, outcome)]
    }
  }

  private static func of(_ change: LedgerChange) -> Sentence? {
    switch change {
    case .connectionJudged(let connection, let verdict, let fence):
      .key("connection \(connection)\(fence.map { " of epoch \($0.epoch)" } ?? ""): \(words(verdict))")
    case .paymentOffered(let payment, _): "offers payment \(payment) to the wallet"
    case .externalPaid(let hash, _): "the wallet's payment \(hash.hex.prefix(8)) reached its recipient"
    case .webhook(.set(let webhook)): "the wallet has registered the webhook \(webhook.name)"
    case .webhook(.removed(let name)): "the wallet has removed the webhook \(name)"
    case .pushKey: "the wallet has named the key for its pushes"
    case .holdEnded(let hash): "the hold of \(hash.hex.prefix(8)) has ended, and the wallet will hear of it"
    case .dataLoss(let connection, let loss): "connection \(connection): the \(loss) has lost channel state"
    case .channelFailed(0, let why): "fails the channel, while the wallet is away: \(why)"
    case .channelFailed(let connection, let why): "fails the channel on connection \(connection): \(why)"
    default: nil
    }
  }

  private static func answer(_ payment: UInt64, _ outcome: PaymentOutcome) -> Sentence {
    switch outcome {
    case .held: .key("holds payment \(payment): the wallet is offline")
    case .offered: .detail("payment \(payment) is offered as an HTLC")
    case .settled: .key("payment \(payment) is settled")
    case .failed(let failure): .key("payment \(payment) failed: \(failure.word)")
    }
  }

  static func words(_ verdict: ConnectionVerdict) -> String {
    switch verdict {
    case .accepted: "accepted"
    case .unfenced: "accepted, epochs are not checked"
    case .visitor: "accepted as an unknown node, without a channel"
    case .refusedWithoutFence: "refused, its init has no epoch, and an earlier init of this node had one"
    case .refusedLowerEpoch: "refused, this node has connected with a higher epoch"
    case .refusedOtherIncarnation: "refused, another claim has used this epoch"
    case .refusedOtherContainer: "refused, the node is in use by another device"
    }
  }
}

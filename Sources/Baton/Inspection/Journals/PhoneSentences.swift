import Ground
import Lightning
import LightningProvider
import PhonePolicy

/// Sentences for `iosd`: starts and kills of processes, and what the user sees.
package enum PhoneSentences {
  package typealias Sentence = JournalNarrator.Sentence

  package static func of(_ event: PhoneEvent) -> [Sentence] {
    switch event {
    case .userOpened: [Sentence("the user opens the app")]
    case .userWentHome: [Sentence("the user goes to the home screen")]
    case .userQuit: [Sentence("the user swipes the app away")]
    case .deviceChanged(let change): [Sentence(DeviceSentences.of(change))]
    case .pushArrived(let push): [Sentence("push \(push.id) arrives\(words(push))")]
    case .launchFailed(let role, let sentence): [Sentence("cannot start the \(role.rawValue): \(sentence)")]
    case .serviceFinished(let push, let reason):
      [Sentence("the extension has finished push \(push): \(reason)", matters: false)]
    case .foundHoldingLock(let role, let file):
      [Sentence("the suspended \(role.rawValue) holds a lock on \(file)")]
    case .notificationTouched(let id, _, .tap): [Sentence("the user taps notification \(id)")]
    case .notificationTouched(let id, _, .action(let action)):
      [Sentence("the user chooses \(action) of notification \(id)")]
    case .notificationTouched(let id, _, .dismiss): [Sentence("the user dismisses notification \(id)")]
    case .linkOpened(_, let scheme): [Sentence("the user follows a link (\(scheme):)")]
    case .textCopied(let role):
      [Sentence("the \(role.rawValue) copies a text to the pasteboard", matters: false)]
    case .silentPushDone(let push, let result):
      [Sentence("the app completes push \(push): \(result.rawValue)", matters: false)]
    case .rebooted(_, true?): [Sentence("the phone reboots, and is unlocked at once")]
    case .rebooted: [Sentence("the phone reboots")]
    case .foundEnding(let role): [Sentence("the \(role.rawValue) is already exiting")]
    case .downRequested: [Sentence("is asked to shut down")]
    case .task(let event): of(event)
    case .audio(.startRequested): [Sentence("the app wants to play audio", matters: false)]
    case .audio(.stopped): [Sentence("the app stops its audio", matters: false)]
    case .deadlineReached, .processStarted, .helloSaid, .processEnded, .endAnnounced, .memorySampled,
      .memoryLimitEnforced, .contentDelivered, .notificationPosted, .notificationWithdrawn, .backgroundDone,
      .taskBegan, .taskEnded, .activityBegan, .activityEnded, .categoriesRegistered, .responseDone,
      .appAnswered, .appAsked:
      []
    }
  }

  package static func of(_ directive: PhoneDirective) -> [Sentence] {
    switch directive {
    case .launch(let role, let reason): [.key("starts the \(role.rawValue): \(reason)")]
    case .kill(let role, let reason): [Sentence("kills the \(role.rawValue): \(reason)")]
    case .endConnections(let role):
      [Sentence("ends the connections of the \(role.rawValue): there is no network")]
    case .suspend(let role): [.key("suspends the \(role.rawValue)")]
    case .resume(let role): [.key("resumes the \(role.rawValue)")]
    case .tell(let role, .activityExpired): [Sentence("tells the \(role.rawValue) that its activity expires")]
    case .tell(_, .taskExpiring): [Sentence("tells the app that its background time has expired")]
    case .show(let notification): [.key("the user sees \(words(notification.text))")]
    case .setBadge(let number): [Sentence("the badge on the wallet's icon is \(number)", matters: false)]
    case .withdraw: [Sentence("withdraws a notification", matters: false)]
    case .refuseContent(let push): [Sentence("refuses the extension's second content for push \(push)")]
    case .closeNotification(let id, let touch):
      [Sentence("notification \(id) is removed from the list: \(touch.word)", matters: false)]
    case .refuseNotification(let push, let why):
      [Sentence("refuses \(push.map { "the content for push \($0)" } ?? "a notification"): \(why)")]
    case .recordFate(let push, let fate): [.key("push \(push): \(fate)")]
    case .refuseCompletion(let push): [Sentence("refuses the app's second completion of push \(push)")]
    case .recordEnd(let role, let reason): [.key("end of the \(role.rawValue): \(reason)")]
    case .refuseAsk(_, let why): [Sentence("refuses a request to the app: \(why)")]
    case .recordTask(let record): of(record)
    case .refusePasteboard(_, let why): [Sentence("leaves the pasteboard as it is: \(why)")]
    case .dropLink: [Sentence("the link opens nothing")]
    case .refuseTaskCompletion(let identifier, _):
      [Sentence("refuses the app's completion of the task \(identifier), which is not running")]
    case .tell(_, .audio(let message)): of(message)
    case .tell(.app, .timeWillExpire(let push)):
      [Sentence("tells the app that the time for push \(push) is over")]
    case .tell(.extension, .timeWillExpire(let push)):
      [Sentence("warns the extension that the time for push \(push) is nearly over")]
    case .setPasteboard, .drop, .saveDevice, .saveCategories, .tell, .passOnAnswer, .boot, .powerOff: []
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
  package static func of(_ event: TaskEvent) -> [Sentence] {
    switch event {
    case .launchedByHand(let identifier): [Sentence("is asked to launch the task \(identifier) now")]
    case .expiredByHand(let identifier): [Sentence("is asked to expire the task \(identifier) now")]
    case .submitted, .cancelled, .completed: []
    }
  }

  package static func of(_ record: TaskRecord) -> [Sentence] {
    let name = "the task \(record.request.identifier)"
    switch record.fate {
    case .waits(.tooEarly): return [Sentence("schedules \(name)", matters: false)]
    case .waits(let hindrance): return [Sentence("keeps \(name) waiting: \(hindrance)", matters: false)]
    case .replaced: return [Sentence("replaces \(name) with a newer request", matters: false)]
    case .cancelled: return [Sentence("cancels \(name), as the app asked", matters: false)]
    case .refused(let refusal): return [Sentence("refuses \(name): \(refusal)")]
    case .runs: return [Sentence("runs \(name)")]
    case .expires(let expiry): return [Sentence("tells the app to end \(name): \(expiry)")]
    case .completed(let isSuccess):
      return [Sentence("\(name) completed\(isSuccess ? "" : " without success")")]
    case .expired(let expiry): return [Sentence("\(name) expired without completing: \(expiry)")]
    case .lost: return [Sentence("\(name) is lost: the app or the phone ended")]
    }
  }

  package static func of(_ message: AudioMessage) -> [Sentence] {
    switch message {
    case .plays: [Sentence("the app plays audio")]
    case .refused(let refusal): [Sentence("the app's audio does not play: \(refusal)")]
    case .interrupted: [Sentence("the app's audio is interrupted by another app")]
    case .ended: [Sentence("the app's audio ended")]
    }
  }
}

/// Sentences for `lspd`.
package enum PeerSentences {
  package typealias Sentence = JournalNarrator.Sentence

  package static func of(_ event: PeerEvent) -> [Sentence] {
    switch event {
    case .deadlineReached: []
    case .received(let connection, let message):
      [
        Sentence(
          "receives \(MessageWords.name(of: message.type)) on connection \(connection)", matters: false)
      ]
    case .walletNamed(let node):
      [Sentence("the channel is with the node \(node.hex.prefix(8))…", matters: false)]
    case .connected(let connection, _): [Sentence("connection \(connection) opened", matters: false)]
    case .undecodable(let connection, let why):
      [Sentence("connection \(connection) sent an undecodable message: \(why)")]
    case .closed(let connection, let why):
      [Sentence("connection \(connection) ended: \(why)", matters: false)]
    case .payRequested(let request):
      [
        .key(
          "is asked to pay \(HumanText.amount(msat: request.amountMsat)) (payment \(request.id)\(request.attempt.map { ", attempt \($0)" } ?? ""))"
        )
      ]
    case .failuresOrdered(let order):
      [.key("is to fail the next \(order.left) payments with \(FailureCode(rawValue: order.code).words)")]
    case .channelFailureOrdered: [.key("is to fail the channel")]
    case .announcementOrdered(.mutualClose):
      [.key("is to force-close the channel, and to announce that to the wallet")]
    case .announcementOrdered: [.key("is to announce to the wallet that its channel order is paid")]
    case .notificationOrdered(let notification):
      [Sentence("is to notify the wallet's webhooks: \(notification.method.rawValue)")]
    case .webhookCalled(let call, let outcome): [Sentence("call \(call) to a webhook: \(outcome.word)")]
    case .externalInvoiceMade(let invoice):
      [Sentence("made an external invoice for \(HumanText.amount(msat: invoice.amountMsat))")]
    }
  }

  package static func of(_ directive: PeerDirective) -> [Sentence] {
    switch directive {
    case .store(let changes): changes.compactMap(of)
    case .send(let connection, let message):
      [Sentence("sends \(MessageWords.name(of: message.type)) on connection \(connection)", matters: false)]
    case .close(let connection, let why): [Sentence("closes connection \(connection): \(why)")]
    case .evict(let connection, let why): [.key("evicts connection \(connection): \(why)")]
    case .requestPush(let push):
      [
        .key(
          "asks the phone for a \(push.kind == .silent ? "silent push" : "push") (\(push.reason.rawValue))")
      ]
    case .webhook(.call(let call)):
      [.key("calls the webhook \(call.webhook.name): \(call.notification.method.rawValue)")]
    case .webhook(.cancel(let call)): [Sentence("ends call \(call) to a webhook")]
    case .answer(let payment, let outcome): [answer(payment, outcome)]
    }
  }

  private static func of(_ change: LedgerChange) -> Sentence? {
    switch change {
    case .connectionJudged(let connection, let verdict, let fence):
      .key("connection \(connection)\(fence.map { " of epoch \($0.epoch)" } ?? ""): \(words(verdict))")
    case .paymentOffered(let payment, _): Sentence("offers payment \(payment) to the wallet")
    case .externalPaid(let hash, _):
      Sentence("the wallet's payment \(hash.hex.prefix(8)) reached its recipient")
    case .webhook(.set(let webhook)): Sentence("the wallet has registered the webhook \(webhook.name)")
    case .webhook(.removed(let name)): Sentence("the wallet has removed the webhook \(name)")
    case .pushKey: Sentence("the wallet has named the key for its pushes")
    case .holdEnded(let hash):
      Sentence("the hold of \(hash.hex.prefix(8)) has ended, and the wallet will hear of it")
    case .dataLoss(let connection, let loss):
      Sentence("connection \(connection): the \(loss) has lost channel state")
    case .channelFailed(0, let why): Sentence("fails the channel, while the wallet is away: \(why)")
    case .channelFailed(let connection, let why):
      Sentence("fails the channel on connection \(connection): \(why)")
    default: nil
    }
  }

  private static func answer(_ payment: UInt64, _ outcome: PaymentOutcome) -> Sentence {
    switch outcome {
    case .held: .key("holds payment \(payment): the wallet is offline")
    case .offered: Sentence("payment \(payment) is offered as an HTLC", matters: false)
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

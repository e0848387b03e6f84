import Ground
import Guardrails
import Lightning
import PhonePolicy
import Wallet

// The phone: it starts and ends processes and shows notifications.
extension World {
  /// Queued until the sending process has finished its step, as the phone may act on that process.
  mutating func tellPhone(_ event: PhoneEvent) { phoneEvents.append(event) }

  mutating func deliverPhoneEvents() { while let event = phoneEvents.popFirst() { phoneHandles(event) } }

  private mutating func phoneHandles(_ event: PhoneEvent) {
    let before = (phone.app.stage, phone.service.stage)
    let directives = phone.handle(event, at: now)
    ways.add(.phoneApp, before.0, phone.app.stage)
    ways.add(.phoneExtension, before.1, phone.service.stage)
    if !directives.isEmpty { deliveredEvents &+= 1 }
    say(.core(.phone(event, directives)))
    for directive in directives { carryOut(directive) }
  }

  private mutating func carryOut(_ directive: PhoneDirective) {
    switch directive {
    case .launch(let role, _): start(role)
    case .tell(let role, let message): tell(role, message)
    case .kill(let role, _): kill(role)
    case .suspend(let role): suspend(role)
    case .endConnections(let role): endConnection(of: role)
    case .resume(let role):
      lives[role]?.value.isSuspended = false
      lives[role]?.value.runningSince = clock.now
    case .show(let notification):
      checkToldOnce(notification)
      guard let id = notification.push else { return }
      if pushing.noteShown(id) > 1 { report(.oneTextPerPush, "Push \(id) is shown twice.") }
    case .recordFate(let push, let fate):
      if [.dropped, .replaced, .notShown, .filtered, .applied].contains(fate.code) {
        pushing.change(push) { $0.isLost = true }
      }
    case .refuseAsk(let request, let why):
      sending.phoneRefuses(request, "\(why)")
      phoneAnsweredCancel(request)
    case .withdraw(let key): pushing.withdraw(key)
    case .setBadge, .closeNotification, .refuseNotification, .refuseContent, .refuseCompletion,
      .saveDevice, .saveCategories, .recordEnd, .passOnAnswer, .setPasteboard, .refusePasteboard,
      .powerOff:
      break
    case .boot: beginBoot()
    case .recordTask(let record): checkTime(of: record)
    case .refuseTaskCompletion: break
    }
  }

  private mutating func start(_ role: Role) {
    let pid = numbers.pid(of: role, on: device)
    let identity = ProcessIdentity(pid: pid, startTime: UInt64(pid), boot: boot)
    say(.started(role, pid: pid))
    lives[role] = Boxed(Life(role: role, identity: identity, settings: settings, device: device, now: now))
    tellPhone(.processStarted(role, pid: pid))
    if role == .extension, settings.extensionTakesToStart > .zero {
      let startsAt = now + settings.extensionTakesToStart
      lives[role]?.value.startsAt = startsAt
    } else {
      launched(role)
    }
  }

  /// The process says its first message.
  mutating func launched(_ role: Role) {
    lives[role]?.value.startsAt = nil
    tellPhone(.helloSaid(role))
    let refusal = phone.refusal(
      to: .wallet(role), group: Entitlements.accessGroup, protection: settings.seedProtection)
    // Without its seed an extension that only notifies still tells.
    if let refusal, role == .app || !tellsOnly { endLockedOut(role, refusal) }
  }

  private mutating func tell(_ role: Role, _ message: PhoneMessage) {
    switch message {
    case .network(let isThere): post(.networkChanged(isThere: isThere), to: role)
    case .enterForeground: post(.enteredForeground, to: role)
    case .enterBackground:
      lives[role]?.value.timesToHear.append(phone.timesInBackground)
      post(.enteredBackground, to: role)
    case .timeWillExpire(let push): post(.expiryWarned(push: push), to: role)
    case .terminate: post(.terminationRequested, to: role)
    case .taskExpiring(let id): post(.backgroundTimeExpired(task: id), to: role)
    case .notificationResponse(let id, _, _):
      tellOfTouched()
      tellPhone(.responseDone(id: id))
    case .ask(let request):
      guard let asked = asked(by: request) else { return }
      lives.app?.value.inbox.append(.requests(.asked("\(request)", asked)))
    // The wallet begins no activity.
    case .memoryWarning, .activityExpired: break
    case .link(let link): tell(ofLink: link)
    case .task(let word): tell(role, word)
    // The wallet only logs whether audio plays.
    case .audio: break
    case .push(let id, let deadline, _, _):
      if let push = pushing.silent(id) {
        let time = deadline > 0 ? TimeSpan.milliseconds(deadline) : nil
        post(
          .silentPushArrived(
            Push(id: id, reason: push.reason, paymentHash: push.paymentHash, time: time)), to: role)
      } else if role == .app {
        pushing.change(id) { $0.wentToApp = true }
      } else if let push = pushing[id] {
        post(.pushArrived(asRead(push)), to: role)
      }
    }
  }

  /// What the user wants by the request with this number of the phone.
  private func asked(by request: UInt64) -> Request? {
    if let invoice = sending.invoice(ofRequest: request) {
      return .payment(
        OutgoingPayment(
          paymentHash: invoice.paymentHash, amountMsat: invoice.amountMsat,
          paymentSecret: invoice.paymentSecret))
    }
    if let amountSat = splices.amountSat(ofRequest: request) {
      return .withdrawal(SpliceRequest(amountSat: amountSat, script: Self.target))
    }
    if let wanted = invoicing.cancelled(by: request) { return .cancellation(of: wanted.paymentHash) }
    return moving.request == request ? .move : nil
  }

  private mutating func post(_ event: GuardEvent, to role: Role) {
    lives[role]?.value.inbox.append(.guardrail(event))
  }

  private mutating func tell(_ role: Role, _ word: TaskMessage) {
    switch word {
    case .run(let identifier, let number, _):
      guard let task = BackgroundTask(identifier: identifier) else { return }
      lives[role]?.value.inbox.append(.background(.runBegan(task, run: number)))
    case .willExpire(_, let number): lives[role]?.value.inbox.append(.background(.runExpires(run: number)))
    case .accepted, .refused: break
    }
  }

  // MARK: The user waits

  func isAppConnected() -> Bool { if case .connected = lives.app?.value.status { true } else { false } }

  mutating func noteOpening() { if !isAppConnected() { opening.begin(at: peerNow) } }

  mutating func appConnected() { opening.end(at: peerNow) }

  // MARK: Suspension

  /// The process stops, its connection ends, and it is killed if it holds a lock.
  private mutating func suspend(_ role: Role) {
    guard let life = lives[role]?.value else { return }
    lives[role]?.value.isSuspended = true
    endConnection(of: role)
    if role == .app { checkPaymentsLetSleep(life) }
    let locked = container.value.lockedFile(of: life.identity.pid) ?? life.databaseInUse
    let leaked = settings.openReads.contains(role) ? Container.openRead : nil
    suspensions.value.note(role, holdsLock: locked != nil)
    if let file = locked ?? leaked { tellPhone(.foundHoldingLock(role, file: file)) }
    if let file = locked {
      let thawedJustNow = life.thawedAt.map { now - $0 <= Self.healthyAfter } ?? false
      guard !life.isFrozen, !thawedJustNow else { return }
      report(.releasedBeforeSuspension, "The \(role) is suspended with a lock on \(file), and killed for it.")
    }
  }

  /// Sent messages still arrive; nothing is received any more.
  private mutating func endConnection(of role: Role) {
    if let wire = lives[role]?.value.wire { wires.suspend(wire) }
  }

  // MARK: Ends

  mutating func kill(_ role: Role) { end(role, .signalled(9)) }

  /// The kernel releases the process's locks and connection at once, and the other process is notified.
  mutating func end(_ role: Role, _ how: ProcessEnd) {
    guard forget(role) else { return }
    presenceQueue.removeAll { $0.to == role }
    if exclusion == nil, lives[role.other] != nil {
      presenceQueue.append(QueuedPresence(to: role.other, event: .partnerEnded))
    }
    tellPhone(.processEnded(role, how))
  }

  @discardableResult private mutating func forget(_ role: Role) -> Bool {
    guard let life = lives[role] else { return false }
    lives[role] = nil
    if role == .app { moving = WorldMoving() }
    storage.armed[role] = nil
    container.value.forget(life.value.identity.pid)
    exclusion?.value.processEnded(role)
    if let wire = life.value.wire { wires.abandon(wire) }
    forgetNumber(of: life.value.identity)
    return true
  }

  // MARK: A reboot

  /// The phone ends both processes, and boots when they are gone.
  mutating func reboot(unlocking: Bool = true) {
    opening.giveUp()
    tellPhone(.rebooted(losingBeats: false, unlocking: unlocking))
  }

  /// No process runs. The clocks of the new boot begin at zero.
  private mutating func beginBoot() {
    presenceQueue = []
    phone.shift(by: .zero - now)
    // No process is inside a transaction any more.
    storage.incomingBlockedUntil = nil
    clock.restart()
  }
}

// User actions on the phone itself, with their immediate effects, for stories. Runs and explorations use moves.
extension World {
  public mutating func change(_ change: DeviceChange) {
    if change == .locked { opening.giveUp() }
    hear(.deviceChanged(change))
  }

  /// A silent push without a payment hash.
  public mutating func silentPush() {
    silentPush(nil, .incomingPayment)
    settle()
  }

  /// The app registers its categories at its start.
  public mutating func registerCategories() {
    if phone.categories.isEmpty { hear(.categoriesRegistered([.incomingPayment])) }
  }

  /// `push`: the one that the notification is of. A tap brings its payload to the app.
  public mutating func touch(
    _ id: UInt64, of push: UInt64? = nil, category: String?, _ touch: NotificationTouch
  ) {
    touchedPush = push
    if phone.opensApp(touch, category: category) { noteOpening() }
    hear(.notificationTouched(id: id, category: category, touch))
  }

  public mutating func press(_ button: ScreenButton) {
    pressIfThere(button)
    settle()
  }

  /// The sender pays `payment`, if any, while the phone is off.
  public mutating func reboot(staysLocked: Bool, meanwhile payment: Int? = nil) {
    say(.move(.reboot))
    reboot(unlocking: !staysLocked)
    if let payment {
      say(.move(.pay(payment)))
      pay(payment)
    }
    settle()
  }

  // MARK: A background task that does not involve the node

  static let task = "send something"

  /// The app begins or ends the task.
  mutating func task(isOn: Bool) {
    guard isOn != hasTask, lives.app?.value.isStopped == false else { return }
    if isOn { numbers.beginTask() }
    let task = TaskBeginning(name: Self.task, generation: numbers.task)
    let event: GuardEvent = isOn ? .taskBegan(task) : .taskEnded(task)
    guard exclusion == nil else { return withLife(.app) { _, life in life.answer(event) } }
    lives.app?.value.inbox.append(.guardrail(event))
  }

  /// Whether the app holds a task, or is about to.
  var hasTask: Bool {
    guard let app = lives.app else { return false }
    return app.part { life in
      life.pointee.inbox.last { $0.isOfTask }?.isBeginning ?? life.pointee.wallet.guardrail.hasTask
    }
  }

  public mutating func hear(_ event: PhoneEvent) {
    tellPhone(event)
    settle()
  }

  private mutating func settle() {
    deliverPhoneEvents()
    checkDrivers()
  }

  /// Without its seed the process ends at once.
  mutating func endLockedOut(_ role: Role, _ refusal: Refusal) {
    tellPhone(.endAnnounced(role))
    say(.ended(role, WalletTexts.seedWithheld("\(refusal)")))
    end(role, .exited(code: 78))
  }
}

extension NotificationCategory {
  /// The category that the wallet registers.
  static let incomingPayment = NotificationCategory(
    id: NotificationContent.paymentCategory,
    actions: [Action(id: "OPEN_NOW", title: "Open Now", opensApp: true)], tellsDismissal: true)
}

extension WalletEvent {
  fileprivate var isBeginning: Bool { if case .guardrail(.taskBegan) = self { true } else { false } }

  fileprivate var isOfTask: Bool {
    switch self {
    case .guardrail(.taskBegan), .guardrail(.taskEnded): true
    default: false
    }
  }
}

/// Time from opening the app to `connected`, if the app stays in front until then.
struct WorldOpening: Hashable, Sendable {
  private(set) var since: Instant?
  private(set) var waits = Waits()

  mutating func begin(at now: Instant) { since = since ?? now }

  mutating func giveUp() { since = nil }

  mutating func end(at now: Instant) {
    if let since { waits.add(now - since) }
    since = nil
  }
}

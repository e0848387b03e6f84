import Ground
import Guardrails
import PhonePolicy
import Wallet

// The phone: it starts and ends processes and shows what there is to show.
extension World {
  /// The phone hears it when the one who speaks has done what he is at: it may order something of him.
  mutating func tellPhone(_ event: PhoneEvent) { wordsForPhone.append(event) }

  mutating func letPhoneHear() {
    while let event = wordsForPhone.popFirst() { phoneHears(event) }
  }

  private mutating func phoneHears(_ event: PhoneEvent) {
    let before = (phone.app.stage, phone.service.stage)
    let directives = phone.handle(event, at: now)
    ways.add(.phoneApp, before.0, phone.app.stage)
    ways.add(.phoneExtension, before.1, phone.service.stage)
    if !directives.isEmpty { deliveredEvents &+= 1 }
    say(.phone(event, directives))
    for directive in directives { carryOut(directive) }
  }

  private mutating func carryOut(_ directive: PhoneDirective) {
    switch directive {
    case .launch(let role, _): start(role)
    case .tell(let role, let message): tell(role, message)
    case .kill(let role, let reason): kill(role, because: "\(reason)")
    case .suspend(let role): suspend(role)
    case .endConnections(let role): endConnection(of: role)
    case .resume(let role):
      lives[role]?.value.isSuspended = false
      lives[role]?.value.runningSince = clock.now
    case .show(let notification):
      checkToldOnce(notification)
      guard let id = notification.push else { return }
      if pushing.noteShown(id) > 1 { report(.oneTextPerPush, "Push \(id) is shown twice.") }
    case .drop(let push): pushing.noteLost(push)
    case .refuseAsk(let request, let why):
      sending.phoneRefuses(request, "\(why)")
      phoneAnsweredCancel(request)
    case .withdraw(let key): pushing.withdraw(key)
    case .setBadge, .closeNotification, .refuseNotification, .refuseContent, .recordFate,
      .refuseCompletion,
      .saveDevice, .saveCategories, .recordEnd, .passOnAnswer,
      .powerOff:
      break
    case .boot: beginBoot()
    case .recordTask(let record): checkTime(of: record)
    case .refuseTaskCompletion: break
    }
  }

  private mutating func start(_ role: Role) {
    let pid = numbers.pid(of: role)
    let identity = ProcessIdentity(pid: pid, startTime: UInt64(pid), boot: boot)
    say(.started(role, pid: pid))
    lives[role] = Boxed(
      Life(role: role, identity: identity, settings: settings, now: now))
    tellPhone(.processStarted(role, pid: pid))
    let refusal = phone.refusal(
      to: .wallet(role), group: Entitlements.accessGroup, protection: settings.seedProtection)
    if let refusal { endLockedOut(role, refusal) }
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
    // It only writes it down.
    case .notificationResponse(let id, _): tellPhone(.responseDone(id: id))
    case .ask(let request):
      postSend(ofRequest: request)
      postWithdrawal(ofRequest: request)
      postCancel(ofRequest: request)
    case .memoryWarning: break
    case .task(let word): tell(role, word)
    // It plays or not: it only writes it down.
    case .audio: break
    case .push(let id, let deadline):
      if let push = pushing.silent(id) {
        let time = deadline > 0 ? TimeSpan.milliseconds(deadline) : nil
        post(
          .silentPushArrived(
            Push(id: id, reason: push.reason, paymentHash: push.paymentHash, time: time)), to: role)
      } else if role == .app {
        pushing.noteTaken(id)
      } else if let push = pushing[id] {
        post(.pushArrived(Push(id: id, reason: push.reason, paymentHash: push.paymentHash)), to: role)
      }
    }
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

  func isAppConnected() -> Bool {
    if case .connected = lives.app?.value.status { true } else { false }
  }

  mutating func noteOpening() {
    if !isAppConnected() { opening.begin(at: peerNow) }
  }

  mutating func appConnected() { opening.end(at: peerNow) }

  // MARK: Suspension

  /// It does nothing from here on, its connection ends, and a lock in its hands is its end.
  private mutating func suspend(_ role: Role) {
    guard let life = lives[role]?.value else { return }
    lives[role]?.value.isSuspended = true
    endConnection(of: role)
    if role == .app { checkPaymentsLetSleep(life) }
    if let file = container.value.lockedFile(of: life.identity.pid) ?? life.databaseInUse {
      tellPhone(.foundHoldingLock(role, file: file))
      // Who was frozen until a moment ago had no time to let go.
      guard !life.isFrozen, now - life.runningSince > Self.healthyAfter else { return }
      report(.releasedBeforeSuspension, "The \(role) is suspended with a lock on \(file), and killed for it.")
    }
  }

  /// What was sent still arrives; nothing more comes.
  private mutating func endConnection(of role: Role) {
    if let wire = lives[role]?.value.wire { wires.suspend(wire) }
  }

  // MARK: Ends

  mutating func kill(_ role: Role, because why: String = "killed") {
    end(role, .signalled(9), why)
  }

  /// The kernel frees what the process held in the instant of its end, and the other one hears of it.
  mutating func end(_ role: Role, _ how: ProcessEnd, _ why: String = "ended by itself") {
    guard forget(role) else { return }
    say(.ended(role, why))
    letters.removeAll { $0.to == role }
    if lives[role.other]?.part({ $0.pointee.wallet.guardrail.hearsOfEnds }) == true {
      letters.append(Letter(to: role.other, event: .partnerEnded))
    }
    tellPhone(.processEnded(role, how))
  }

  @discardableResult
  private mutating func forget(_ role: Role) -> Bool {
    guard let life = lives[role] else { return false }
    lives[role] = nil
    storage.armed[role] = nil
    container.value.forget(life.value.identity.pid)
    if let wire = life.value.wire { wires.abandon(wire) }
    forgetNumber(of: life.value.identity)
    return true
  }

  // MARK: A reboot

  /// By the rules of the phone: it ends both processes, and is on again when they are gone.
  mutating func reboot(unlocking: Bool = true) {
    opening.giveUp()
    tellPhone(.rebooted(losingBeats: false, unlocking: unlocking))
  }

  /// Nobody is left. The clocks of this boot begin at zero.
  private mutating func beginBoot() {
    letters = []
    phone.shift(by: .zero - now)
    clock.restart()
  }
}

@testable import PhonePolicy

@Suite struct AnyOrderTests {
  /// In any order of events every visible push is shown or has one reason why not, and the phone powers off.
  @Test(arguments: 0..<600 as Range<UInt64>)
  func `In random orders of events each visible push is shown once, or has one reason why not`(_ seed: UInt64)
  {
    var random = SeededGenerator(seed: seed)
    var world = World(seed)
    for _ in 0..<200 { world.step(&random) }
    world.finish()
    expect(world.answered.sorted(), is: world.visible)
    expect(world.settled.sorted(), is: world.silent, "each silent push ends once")
    #expect(world.isOff)
    #expect(world.phone.deadline == nil)
  }
}

/// Processes that behave badly; they exist only as far as the phone ordered them.
private struct World {
  var phone: Phone
  var now = Instant(nanoseconds: 0)
  var running: [Role] = []
  var killed: [Role] = []
  var starting: [Role] = []
  var nextPush: UInt64 = 1
  var visible: [UInt64] = []
  /// Visible pushes that were shown, or have a reason why not.
  var answered: [UInt64] = []
  var silent: [UInt64] = []
  /// Silent pushes that ended.
  var settled: [UInt64] = []
  var isOff = false
  var stopped: Set<Role> = []
  /// The kernel is tearing these processes down, and the phone has noticed.
  var dying: Set<Role> = []
  /// A stopped or dying process sends nothing.
  var runsApp: Bool { running.contains(.app) && !stopped.contains(.app) && !dying.contains(.app) }

  /// Every combination of the settings in twelve seeds.
  init(_ seed: UInt64) {
    var configuration = PhoneConfiguration()
    configuration.afterContent = AfterContent.allCases[Int(seed % 3)]
    configuration.foregroundPushes = seed.isMultiple(of: 2) ? .app : .extension
    configuration.reusesExtension = seed / 6 % 2 == 0
    configuration.extensionEntitlements.filtersNotifications = seed / 12 % 2 == 0
    phone = Phone(configuration: configuration)
  }

  mutating func step(_ random: inout SeededGenerator) {
    now = now + .milliseconds(Int64.random(in: 0...9000, using: &random))
    if let deadline = phone.deadline, deadline <= now { take(.deadlineReached) }
    let role = Bool.random(using: &random) ? Role.app : .extension
    let push = max(1, nextPush &- UInt64.random(in: 0...2, using: &random))
    switch Int.random(in: 0..<30, using: &random) {
    case 0: take(.userOpened)
    case 1: take(.userWentHome)
    case 2: take(.userQuit)
    case 3, 4: arrive(visible: Bool.random(using: &random), mutable: Bool.random(using: &random))
    case 5: end(role, .signalled(11))
    case 6: end(role, .exited(code: 0))
    case 7: endTheKilled()
    case 8, 9:
      let text = Int.random(in: 0..<4, using: &random) == 0 ? NotificationText(title: "", body: "") : received
      let wanted = Bool.random(using: &random) ? phone.service.current?.push.id : nil
      if running.contains(.extension) { take(.contentDelivered(push: wanted ?? push, text)) }
    case 10: if running.contains(.extension) { take(.serviceFinished(push: push, reason: "")) }
    case 11:
      take(
        .memorySampled(
          role, footprintBytes: UInt64.random(in: 0...30_000_000, using: &random), residentBytes: 0))
    case 14: take(.silentPushDone(push: push, .noData))
    case 15: take(.deviceChanged(.backgroundRefresh(Bool.random(using: &random))))
    case 16: take(.deviceChanged(Bool.random(using: &random) ? .locked : .unlocked))
    case 12: start(failing: true)
    case 13:
      if running.contains(role) { take(.memoryLimitEnforced(role, usedBytes: 25_165_824)) }
      end(role, .signalled(9))
    case 17: if runsApp { take(.backgroundDone()) }
    case 18: if runsApp { take(.taskBegan(id: UInt64.random(in: 1...3, using: &random), name: "task")) }
    case 19: if runsApp { take(.taskEnded(id: UInt64.random(in: 1...3, using: &random))) }
    case 20 where Int.random(in: 0..<3, using: &random) == 0: take(.rebooted(losingBeats: false))
    case 21:
      // The phone can only find a process that it knows as running.
      guard running.contains(role) else { return }
      dying.insert(role)
      take(.foundEnding(role))
    case 22: take(.deviceChanged(.network(Int.random(in: 0..<4, using: &random) > 0)))
    case 23:
      let isOn = Int.random(in: 0..<4, using: &random) > 0
      let places: [DeviceChange] = [.lockScreen(isOn), .centre(isOn), .banners(isOn)]
      take(.deviceChanged(places.randomElement(using: &random) ?? .banners(isOn)))
    // The extension's locks are looked at some time after it was stopped.
    case 24: if stopped.contains(.extension) { take(.foundHoldingLock(.extension, file: "lock")) }
    default: start(failing: false)
    }
  }

  mutating func endTheKilled() {
    for role in killed { end(role, .signalled(9)) }
    for role in Role.allCases where dying.contains(role) { end(role, .signalled(9)) }
  }

  mutating func arrive(visible: Bool, mutable: Bool) {
    if visible { self.visible.append(nextPush) } else { silent.append(nextPush) }
    let alert = visible ? TestPhone.original(nextPush) : nil
    take(.pushArrived(PhonePush(id: nextPush, alert: alert, hasMutableContent: mutable)))
    nextPush += 1
  }

  mutating func start(failing: Bool) {
    guard let role = starting.first else { return }
    starting.removeFirst()
    if failing { return take(.launchFailed(role, sentence: "no")) }
    running.append(role)
    take(.processStarted(role, pid: 1))
  }

  mutating func end(_ role: Role, _ how: ProcessEnd) {
    guard running.contains(role) else { return }
    running.removeAll { $0 == role }
    dying.remove(role)
    stopped.remove(role)
    killed.removeAll { $0 == role }
    take(.processEnded(role, how))
  }

  mutating func take(_ event: PhoneEvent) {
    for directive in phone.handle(event, at: now) {
      switch directive {
      case .launch(let role, _):
        #expect(!running.contains(role) && !starting.contains(role), "started twice")
        #expect(phone.rebooting == nil, "started on a phone that is off")
        starting.append(role)
      case .suspend(let role):
        #expect(running.contains(role) && !stopped.contains(role))
        #expect(role == .extension || phone.assertions.isEmpty, "suspended while an assertion is held")
        stopped.insert(role)
      case .resume(let role): stopped.remove(role)
      // A suspended extension learns of the network when it is resumed.
      case .tell(.extension, .network): break
      case .tell(.extension, .push):
        #expect(!dying.contains(.extension), "a push for a dying process")
        #expect(!stopped.contains(.extension), "a push for a stopped process")
      case .tell(let role, _): #expect(!stopped.contains(role), "sent \(directive) while it is stopped")
      case .kill(let role, _): if running.contains(role) { killed.append(role) }
      case .show(let notification): if let push = notification.push { answered.append(push) }
      case .recordFate(let push, let fate) where silent.contains(push):
        if fate.code.isEnd { settled.append(push) }
      case .recordFate(let push, let fate): if isReason(fate) { answered.append(push) }
      case .powerOff: isOff = true
      default: break
      }
    }
  }

  /// Why a visible push is not shown. Each reason holds at that moment.
  func isReason(_ fate: PushFate) -> Bool {
    switch fate.code {
    case .givenToApp:
      #expect(phone.app == .foreground && phone.configuration.foregroundPushes == .app)
      return true
    case .notShown:
      expect(phone.device.hidesAlerts?.rawValue, is: fate.detail)
      return true
    case .filtered:
      #expect(phone.configuration.extensionEntitlements.filtersNotifications)
      return true
    case .replaced:
      #expect(!phone.device.hasNetwork || phone.rebooting != nil)
      return true
    case .dropped:
      let why = fate.detail.flatMap(PushDrop.init(rawValue:))
      #expect(why == .reboot || why == .goingDown && !phone.device.hasNetwork || phone.rebooting != nil)
      return true
    case .late, .held, .contentRefused: return false
    case .delivered, .completed, .expired, .abandoned, .applied, .lost:
      Issue.record("\(fate) is no fate of a visible push")
      return false
    }
  }

  /// From here on every directive succeeds.
  mutating func finish() {
    take(.downRequested)
    for _ in 0..<20 {
      while !starting.isEmpty { start(failing: false) }
      endTheKilled()
      if let deadline = phone.deadline {
        now = max(now, deadline)
        take(.deadlineReached)
      }
    }
  }
}

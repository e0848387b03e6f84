// PhonePolicy: the rules of the phone's operating system: which process runs, which process gets a push, when time
// and memory are used up, and what the user sees. Pure: its directives name the process to start or kill, iosd
// carries them out. It knows nothing of Lightning or of the node's owner.

import Ground

/// One phone: the app, its notification service extension, and the pushes on their way.
public struct Phone: Core {
  public static let name = "phone"
  public static let deadlineReached = PhoneEvent.deadlineReached

  /// Each waiting push holds its payload of up to 4 KiB and may take the extension 30 s.
  static let waitingPushesMax = 64

  public let configuration: PhoneConfiguration
  public internal(set) var app = AppState.notRunning
  public internal(set) var service = ExtensionState.notRunning
  /// Pushes that wait for the extension, in the order of their arrival.
  public internal(set) var queue: [PhonePush] = []
  /// Set when the phone powers off; no process is started any more.
  public private(set) var isGoingDown = false
  private var isOff = false
  /// Set from its reboot until both processes are gone.
  public internal(set) var rebooting: Reboot?
  /// The user opened the app while it was terminating.
  var opensAgain = false
  /// The running extension has finished a push before.
  var hasServed = false
  /// When the extension was launched, until it has said `hello`.
  var extensionLaunchedAt: Instant?
  /// Processes that have announced their end: their exit is not a crash.
  var announcedEnds: [Role] = []
  var asks: [OpenAsk] = []
  /// The assertions that keep the app awake in the background.
  public internal(set) var assertions = Assertions()
  var activities = PerRole(Activities(), Activities())
  var process = AppProcess()
  public internal(set) var silent: SilentPushes
  /// Set only while the phone is off or has no network.
  public internal(set) var stored: StoredPush?
  public internal(set) var categories: [NotificationCategory] = []
  var responses = OpenResponses()
  public internal(set) var device: DeviceState
  /// How often the running app was sent `enter-background`: its number tells a late confirmation from that of the
  /// next stay.
  public internal(set) var timesInBackground: UInt64 = 0
  /// The app was in the foreground when the screen was locked.
  var returnsOnUnlock = false

  public internal(set) var tasks: BackgroundTasks
  public internal(set) var audio = BackgroundAudio()

  public init(configuration: PhoneConfiguration) {
    self.configuration = configuration
    silent = SilentPushes(configuration.silentPushes)
    device = configuration.device
    categories = configuration.categories
    tasks = BackgroundTasks(seed: configuration.tasks.seed)
  }

  public var isAppWarned: Bool { process.isWarned }

  public mutating func handle(_ event: PhoneEvent, at now: Instant) -> [PhoneDirective] {
    var directives = reactWhileOff(to: event) ?? react(to: event, at: now)
    directives += finishReboot()
    directives += deliverStored(at: now)
    directives += settleSilentPushes(after: event, directives, at: now)
    directives += updateAudio(at: now)
    directives += updateTasks(after: event, at: now)
    directives += suspendIfIdle(at: now)
    directives += stopAfterContent(at: now)
    directives += finishGoingDown()
    return directives
  }

  private mutating func react(to event: PhoneEvent, at now: Instant) -> [PhoneDirective] {
    switch event {
    case .deadlineReached: return reachDeadlines(at: now)
    case .userOpened:
      silent.noteOpened()
      return unlockForUser() + open()
    case .userWentHome: return goHome(at: now)
    case .userQuit:
      returnsOnUnlock = false
      silent.noteSwipedAway()
      return quit(at: now)
    case .deviceChanged(let change): return deviceChanged(change, at: now)
    case .linkOpened(let link, let scheme): return linkOpened(link, scheme)
    case .textCopied(let role): return textCopied(by: role)
    case .pushArrived(let push): return arrive(push, at: now)
    case .processStarted(.app, _): return networkNewsForApp() + appStarted(at: now)
    case .processStarted(.extension, _): return networkNewsForExtension() + extensionStarted(at: now)
    case .helloSaid(.extension):
      extensionLaunchedAt = nil
      return []
    case .helloSaid(.app): return []
    case .foundEnding(.app): return appFoundEnding()
    case .foundEnding(.extension): return extensionFoundEnding()
    case .endAnnounced(let role):
      announceEnd(role)
      return []
    case .launchFailed(.app, _): return appLaunchFailed()
    case .launchFailed(.extension, _): return extensionLaunchFailed()
    case .processEnded(.app, let how): return appEnded(how)
    case .processEnded(.extension, let how): return extensionEnded(how)
    case .memorySampled(.app, let footprint, _):
      return process.memory(footprint, warnsAbove: configuration.memoryWarningBytes, isUsable: app.isUsable)
    case .memorySampled(let role, let footprint, _): return memorySampled(role, footprint)
    case .memoryLimitEnforced(let role, let used): return memoryLimitEnforced(role, used)
    case .contentDelivered(let push, let content, let key): return deliver(content, for: push, key: key)
    case .notificationPosted(let content, let key, let withdraws):
      return post(content, key: key, withdraws: withdraws)
    case .notificationTouched(let id, let category, let touch, let userInfo):
      return touched(id, category: category, touch, userInfo, at: now)
    case .categoriesRegistered(let registered): return register(registered)
    case .responseDone(let id):
      responses.end(id, &assertions)
      return []
    case .notificationWithdrawn(let key): return [.withdraw(key: key)]
    case .serviceFinished(let push, let reason): return serviceFinished(push, reason, at: now)
    case .backgroundDone(let time): return backgroundDone(time ?? timesInBackground)
    case .taskBegan(let id, let name): return beginTask(id, name, at: now)
    case .taskEnded(let id): return endTask(id)
    case .activityBegan(let role, let id): return beginActivity(role, id, at: now)
    case .activityEnded(let role, let id): return endActivity(role, id)
    case .foundHoldingLock(let role, let file): return suspendedHoldingLock(role, file)
    case .silentPushDone(let push, let result): return silent.complete(push, result, &assertions)
    case .appAsked(let request, let inFront): return ask(request, inFront: inFront, at: now)
    case .appAnswered(let request): return appAnswered(request)
    case .downRequested: return goDown(at: now)
    case .rebooted(let losingBeats, let unlocking):
      return reboot(losingBeats: losingBeats, unlocking: unlocking ?? false)
    case .task(let event): return react(to: event, at: now)
    case .audio(let event): return react(to: event, at: now)
    }
  }

  public var deadline: Instant? {
    var earliest = service.deadline(configuration)
    earliest.bound(by: appDeadline)
    earliest.bound(by: extensionStartsBy)
    for role in Role.allCases { earliest.bound(by: activities[role].deadline) }
    earliest.bound(by: silent.deadline(configuration.silentPushes))
    earliest.bound(by: responses.deadline)
    for ask in asks { earliest.bound(by: ask.endsBy) }
    earliest.bound(by: tasks.deadline)
    earliest.bound(by: audio.deadline)
    return earliest
  }

  private mutating func reachDeadlines(at now: Instant) -> [PhoneDirective] {
    reachAppDeadline(at: now) + reachExtensionStart(at: now) + reachExtensionDeadline(at: now)
      + reachAskDeadlines(at: now) + reachResponseDeadlines(at: now) + expireActivities(at: now)
  }

  // MARK: Going down

  private mutating func goDown(at now: Instant) -> [PhoneDirective] {
    guard !isGoingDown else { return goDownAtOnce() }
    isGoingDown = true
    opensAgain = false
    // Waiting pushes are shown with their original alert: no extension will run to change it.
    let waiting = queue.flatMap { present(.original($0)) }
    queue = []
    return waiting + dropStored(.goingDown) + terminateApp(at: now) + terminateExtension(at: now)
  }

  /// A second request kills the processes that have not terminated yet.
  private mutating func goDownAtOnce() -> [PhoneDirective] {
    var directives: [PhoneDirective] = []
    if case .terminating(.asked, _) = app { directives += killApp(.graceOver) }
    if case .ending(.asked, _, _) = service { directives += killExtension(.graceOver) }
    return directives
  }

  private mutating func finishGoingDown() -> [PhoneDirective] {
    guard isGoingDown, !isOff, app == .notRunning, service == .notRunning else { return [] }
    isOff = true
    return [.powerOff]
  }
}

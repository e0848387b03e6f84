import Ground
import DaemonRuntime
import PhonePolicy

/// The answers of iosd to `status`, `ps` and similar verbs.
struct PhoneReport {
  let shell: PhoneShell
  /// The most that one answer holds, leaving space for the rest of the message; the newest rows win.
  private static let bodyLimit = 100_000

  init(_ shell: PhoneShell) { self.shell = shell }

  var status: PhoneFacts {
    let phone = shell.phone
    var facts = PhoneFacts()
    facts.app = process(.app, state: phone.app.word)
    facts.app.screen = shell.child(.app)?.screen.map { SaidFields($0.map { ($0.name, $0.value) }) }
    let tasks = phone.assertions.ownTasks.map(\.name)
    facts.app.ownTasks = tasks.isEmpty ? nil : tasks
    facts.extension = process(.extension, state: phone.service.word)
    facts.extension.waitingPushes = phone.queue.count
    if let current = phone.service.current {
      facts.extension.push = current.push.id
      facts.extension.pushMs = (shell.clock.now - current.since).wholeMilliseconds
    }
    facts.nowPlaying = nowPlaying
    facts.goingDown = phone.isGoingDown ? true : nil
    facts.home = shell.home.path
    facts.peer = shell.options.peer
    facts.build = shell.options.isDebugBuild ? "debug" : "production"
    facts.limits = limits
    facts.blindSpots = shell.blindSpots.spots.map(\.description)
    facts.device = phone.device
    facts.badge = shell.notifications.badge
    facts.notifications = shell.notifications.count
    facts.wallNs = shell.clock.wallNanoseconds
    facts.journal = shell.journal.path
    facts.heapBytes = MemoryFigures.heapBytes
    facts.timers = shell.loop.timerCount
    return facts
  }

  private var limits: LimitFacts {
    let configuration = shell.options.configuration
    var facts = LimitFacts()
    facts.enforced = configuration.enforcesLimits
    facts.memoryBytes = configuration.extensionMemoryBytes
    facts.memoryMechanism = shell.memoryLimiter.mechanism.rawValue
    facts.memoryExactness = shell.memoryLimiter.exactness
    facts.memoryGroup = shell.memoryLimiter.groupPath
    facts.noGroupBecause = shell.memoryLimiter.whyNoGroup
    facts.timeMs = configuration.extensionTime.wholeMilliseconds
    return facts
  }

  /// The running processes, preceded by the ended ones if `all`, as many as one answer holds.
  func processes(all: Bool) -> String {
    let known = shell.processes.rows
    // An answer that is too long loses what ended first, not what was launched first.
    let ended = known.filter { $0.endedWallNs != nil }.sorted {
      ($0.endedWallNs ?? 0, $0.id) < ($1.endedWallNs ?? 0, $1.id)
    }
    let running = known.filter { $0.endedWallNs == nil }.map { row in
      var row = row
      let child = shell.children.first { $0.ledgerID == row.id }
      row.peakFootprintBytes = child?.peakFootprintBytes
      row.peakResidentBytes = child?.memory?.peakResidentBytes
      return row
    }
    return rows((all ? ended : []) + running)
  }

  var pushes: String { rows(shell.pushes.rows) }

  /// Without the pushes' bodies: one answer could not hold them.
  var notifications: String {
    rows(
      shell.notifications.rows.map { row in
        var row = row
        row.userInfo = nil
        return row
      })
  }

  private func process(_ role: Role, state: String) -> WalletFacts {
    var facts = WalletFacts()
    facts.state = state
    guard let child = shell.child(role) else { return facts }
    facts.pid = child.process.identity.pid
    if !child.hasSpoken, let row = shell.processes.row(child.ledgerID) {
      facts.silentMs = (shell.clock.now - Instant(nanoseconds: row.startedAtNs)).wholeMilliseconds
      facts.output = ProcessOutput.path(shell.home, role, row.id)
    }
    facts.footprintBytes = child.memory?.footprintBytes
    facts.residentBytes = child.memory?.residentBytes
    facts.memoryWarned = role == .app ? shell.phone.isAppWarned : nil
    facts.status = SaidFields(child.status.map { ($0.name, $0.value) })
    return facts
  }

  func rows(_ rows: [some Report]) -> String {
    var texts: [String] = []
    var size = 2
    for row in rows.reversed() {
      let text = row.json
      size += text.utf8.count + 1
      if size > Self.bodyLimit { break }
      texts.append(text)
    }
    return "[\(texts.reversed().joined(separator: ","))]"
  }
}

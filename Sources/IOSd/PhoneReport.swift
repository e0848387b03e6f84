import Ground
import JSON
import DaemonRuntime
import PhonePolicy

/// The phone as JSON, for `baton status` and its like.
struct PhoneReport {
  let shell: PhoneShell
  /// What one answer may hold, with room for the rest of the message; the newest rows win.
  private static let bodyLimit = 100_000

  init(_ shell: PhoneShell) { self.shell = shell }

  var status: String {
    let phone = shell.phone
    var object = JSONObject()
    var app = process(.app, state: phone.app.word)
    let tasks = phone.assertions.ownTasks.map(\.name)
    if !tasks.isEmpty { app.set("own_tasks", tasks) }
    object.set("app", raw: app.text)
    var service = process(.extension, state: phone.service.word)
    service.set("waiting_pushes", phone.queue.count)
    if let current = phone.service.current {
      service.set("push", current.push.id)
      service.set("push_ms", (shell.clock.now - current.since).wholeMilliseconds)
    }
    object.set("extension", raw: service.text)
    if let nowPlaying { object.set("now_playing", raw: nowPlaying.text) }
    if phone.isGoingDown { object.set("going_down", true) }
    object.set("home", shell.home.path)
    object.set("peer", ifPresent: shell.options.peer)
    object.set("build", shell.options.isDebugBuild ? "debug" : "production")
    object.set("limits", raw: limits.text)
    object.set("blind_spots", shell.blindSpots.spots.map(\.description))
    object.set("device", raw: DeviceFile.text(of: phone.device))
    object.set("badge", shell.notifications.badge)
    object.set("notifications", shell.notifications.count)
    object.set("wall_ns", shell.clock.wallNanoseconds)
    object.set("journal", shell.journal.path)
    object.set("heap_bytes", MemoryFigures.heapBytes)
    object.set("timers", shell.loop.timerCount)
    return object.text
  }

  var memory: String {
    var object = JSONObject()
    object.set("limits", raw: limits.text)
    for role in Role.allCases {
      guard let child = shell.child(role) else { continue }
      var figures = JSONObject()
      figures.set("footprint_bytes", ifPresent: child.memory?.footprintBytes)
      figures.set("resident_bytes", ifPresent: child.memory?.residentBytes)
      figures.set("peak_footprint_bytes", ifPresent: child.peakFootprintBytes)
      figures.set("peak_resident_bytes", ifPresent: child.memory?.peakResidentBytes)
      object.set(role.rawValue, raw: figures.text)
    }
    return object.text
  }

  /// What the extension may use, by what means it is held to that, and how exactly.
  private var limits: JSONObject {
    let configuration = shell.options.configuration
    var object = JSONObject()
    object.set("enforced", configuration.enforcesLimits)
    object.set("memory_bytes", configuration.extensionMemoryBytes)
    object.set("memory_mechanism", shell.memoryLimiter.mechanism.rawValue)
    object.set("memory_exactness", shell.memoryLimiter.exactness)
    object.set("memory_group", ifPresent: shell.memoryLimiter.groupPath)
    object.set("no_group_because", ifPresent: shell.memoryLimiter.whyNoGroup)
    object.set("time_ms", configuration.extensionTime.wholeMilliseconds)
    object.set("time_mechanism", "timer")
    return object
  }

  /// Those that run, or before them those that ended, as many as one answer holds.
  func processes(all: Bool) -> String {
    let known = shell.processes.rows
    return rows((all ? known.filter { $0.endedWall != nil } : []) + known.filter { $0.endedWall == nil })
  }

  var pushes: String { rows(shell.pushes.rows) }

  var notifications: String { rows(shell.notifications.rows) }

  private func process(_ role: Role, state: String) -> JSONObject {
    var object = JSONObject()
    object.set("state", state)
    guard let child = shell.child(role) else { return object }
    object.set("pid", child.process.identity.pid)
    object.set("footprint_bytes", ifPresent: child.memory?.footprintBytes)
    object.set("resident_bytes", ifPresent: child.memory?.residentBytes)
    if role == .app { object.set("memory_warned", shell.phone.isAppWarned) }
    var said = JSONObject()
    for field in child.status { said.set(field.name, field.value) }
    object.set("status", raw: said.text)
    return object
  }

  func rows(_ rows: [some Encodable]) -> String {
    let encoder = JSONLineEncoder()
    var texts: [String] = []
    var size = 2
    for row in rows.reversed() {
      guard let text = try? encoder.encode(row) else { continue }
      size += text.utf8.count + 1
      if size > Self.bodyLimit { break }
      texts.append(text)
    }
    return "[\(texts.reversed().joined(separator: ","))]"
  }
}

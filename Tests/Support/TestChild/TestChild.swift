import CSQLite
import DaemonRuntime
import Glibc

/// A wallet process whose name selects its behaviour, good or bad.
final class TestChild {
  let behaviour: String
  private let descriptor: Int32
  private let loop: EventLoop
  let phone: UnixConnection
  private var pushesServed = 0
  private var pages: [UnsafeMutableRawPointer] = []
  private var warnings = 0
  private var isGrowing = false

  init(behaviour: String) throws {
    self.behaviour = behaviour
    loop = try EventLoop()
    guard let descriptor = ParentChannel.take(), let phone = UnixConnection(adopting: descriptor, loop: loop)
    else { exitWithSentence(.daemonMissing, "TestChild is started by iosd alone") }
    self.descriptor = descriptor
    self.phone = phone
  }

  func run() throws {
    phone.onMessage = { [unowned self] in hear($0) }
    phone.onEnd = { [unowned self] _ in
      if !["ext-garbage", "app-stubborn"].contains(behaviour) { loop.stop() }
    }
    phone.start()
    let role = behaviour.hasPrefix("app") ? "app" : "extension"
    say("hello", ["role": role, "pid": "\(getpid())"])
    try loop.run()
  }

  func say(_ verb: String, _ fields: KeyValuePairs<String, String> = [:], body: [UInt8] = []) {
    phone.send(ControlMessage(verb, fields, body: body))
  }

  func content(_ id: String, _ body: String) {
    say("content", ["id": id, "title": "Test", "body": body, "badge": "1"])
  }

  private func hear(_ message: ControlMessage) {
    let id = message["id"] ?? ""
    switch message.verb {
    case "push" where behaviour == "app-done" && message["silent"] == "yes":
      say("push-done", ["id": id, "result": "new-data"])
      say("push-done", ["id": id, "result": "failed"])
    case "push" where behaviour.hasPrefix("app"):
      say("status", ["text": "push of \(message.body.count) bytes"])
    case "push":
      if behaviour == "ext-connects" { connect(to: Self.firstNumber(in: message.body)) }
      serve(id)
    case "time-will-expire":
      guard behaviour == "ext-expires" else { return }
      content(id, "just in time")
      say("finished", ["id": id, "reason": "expired"])
    case "terminate": if behaviour != "app-stubborn" { loop.stop() }
    case "enter-foreground":
      say("status", ["text": "in front", "state": "ready"])
      submitTask()
    case "enter-background":
      say("status", ["text": "behind", "state": "ready"])
      playAudio()
      goBehind()
    case "background-expiring" where behaviour == "app-seed-handler":
      // This handler stops the node asynchronously and ends the task at once; the lock is released when the node has
      // stopped.
      loop.after(.milliseconds(20)) { exit(0) }
      say("background-end", ["id": id])
    case "ask": answer(message)
    default: hearOfTask(message)
    }
  }

  private func goBehind() {
    switch behaviour {
    case "app-keeps-lock": takeLock("app")
    case let name where name.contains("selects"): readDatabase(inWALMode: !name.hasSuffix("rollback"))
    case "app-seed-handler":
      say("background-begin", ["id": "1", "name": "ProcessIncomingHTLC"])
      takeLock("app")
    case "app-ballast": growInPages()
    default: break
    }
    say("background-done")
  }

  private static func firstNumber(in body: [UInt8]) -> String {
    let text = String(decoding: body, as: UTF8.self)
    return String(text.drop { !$0.isNumber }.prefix { $0.isNumber })
  }

  private func connect(to port: String) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    address.sin_port = (UInt16(port) ?? 0).bigEndian
    _ = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  private func serve(_ id: String) {
    pushesServed += 1
    switch behaviour {
    case "ext-hang", "ext-expires": return
    case let name where name.contains("selects"):
      readDatabase(inWALMode: !name.hasSuffix("rollback"))
      content(id, "served")
    case "ext-activity-keeps-lock":
      say("activity-begin", ["id": "1"])
      takeLock("extension")
      content(id, "served")
      say("finished", ["id": id, "reason": "done"])
      return say("activity-end", ["id": "1"])
    case "ext-keeps-lock":
      takeLock("extension")
      content(id, "served")
    case "ext-keychain":
      return say("keychain-read", ["request": id, "group": Self.group, "account": "mnemonic"])
    case "ext-shrinks":
      pages.append(Self.page(size: Self.shrinkingBytes))
      // iosd samples the memory of a process that sends a message, and this one waits for the answer.
      return say("keychain-read", ["request": id, "group": Self.group, "account": "mnemonic"])
    case "ext-says-done":
      // A completion of the app's push.
      say("push-done", ["id": "1", "result": "new-data"])
      content(id, "served")
    case "ext-crash": fatalError("on purpose")
    case "ext-exit": exit(3)
    case "ext-words-then-exit":
      content(id, "last words")
      exit(0)
    case "ext-chatty-then-exit":
      for number in 0..<60 { say("status", ["text": "\(number)"]) }
      content(id, "last words")
      exit(0)
    case "ext-critical":
      say("content", ["id": id, "title": "Test", "body": "critical", "level": "critical"])
    case "ext-empty": say("content", ["id": id])
    case "ext-locks":
      // Holds its lock for longer than iosd takes to look for the locks of a stopped process.
      let lock = takeLock("extension")
      let count = pushesServed
      loop.after(.milliseconds(3)) { [unowned self] in
        close(lock)
        content(id, "served \(count)")
        say("finished", ["id": id, "reason": "done"])
      }
      return
    case "ext-garbage":
      send(descriptor, "\u{1}\u{2}", 2, Int32(MSG_NOSIGNAL))
      return
    default: content(id, "served \(pushesServed)")
    }
    say("finished", ["id": id, "reason": "done"])
  }

  /// Memory that can certainly be given back, up to 60 MB.
  func growInPages() {
    isGrowing = true
    takePage()
  }

  static let shrinkingBytes = 10 << 20

  func shrink() {
    for page in pages { munmap(page, Self.shrinkingBytes) }
    pages = []
  }

  private static func page(size: Int) -> UnsafeMutableRawPointer {
    let page = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let page, page != MAP_FAILED else { fatalError("no memory") }
    memset(page, 1, size)
    return page
  }

  private func takePage() {
    guard isGrowing, pages.count < 60 else { return }
    pages.append(Self.page(size: 1 << 20))
    loop.after(.milliseconds(1)) { [unowned self] in takePage() }
  }

  func giveBack() {
    warnings += 1
    isGrowing = false
    for page in pages { munmap(page, 1 << 20) }
    pages = []
    say("status", ["text": "warned \(warnings) times"])
  }

  /// The answer is plain bytes: the phone passes on any body.
  private func answer(_ message: ControlMessage) {
    if behaviour == "app-connects" { connect(to: message.bodyText) }
    guard message.bodyText != "ignore" else { return }
    say("answer", ["request": message["request"] ?? ""], body: Array("answer to ".utf8) + message.body)
  }
}

// Tasks, audio and keychain of a test app, by its name.
extension TestChild {
  /// Called when the user opens the app.
  func submitTask() {
    let identifier = behaviour == "app-task-wrong" ? "com.example.other" : "com.example.lightning.sync"
    switch behaviour {
    case "app-task-garbage":
      say("task-submit", ["identifier": identifier, "kind": "lunch"])
      say("task-submit", ["identifier": identifier, "kind": "refresh", "earliest-seconds": "soon"])
      say("task-done", ["identifier": identifier, "run": "-1"])
      say("audio-start", ["volume": "loud"])
      say("status", ["text": "said it"])
    case let name where name.hasPrefix("app-task"):
      say("task-submit", ["identifier": identifier, "kind": "refresh"])
    case "app-keychain":
      phone.send(
        ControlMessage(
          "keychain-write",
          [
            "request": "1", "group": Self.group, "account": "mnemonic",
            "protection": "after-first-unlock",
          ], body: Array("abandon ability able".utf8)))
    case "app-keychain-twice":
      for (request, value) in [("1", "first"), ("2", "second")] {
        phone.send(
          ControlMessage(
            "keychain-write",
            [
              "request": request, "group": Self.group, "account": "mnemonic",
              "protection": "after-first-unlock", "only-new": "yes",
            ], body: Array(value.utf8)))
      }
    case "app-ballast": growInPages()
    case "app-keychain-socket": askOnSocket()
    case "app-container": say("container", ["request": "2", "id": "group.com.example.other"])
    default: break
    }
  }

  static let group = "A1B2C3D4E5.com.example.lightning"

  /// On the control socket, as any program on the machine may, and not on its own channel.
  private func askOnSocket() {
    let words = CommandLine.arguments
    guard let place = words.firstIndex(of: "--container"), place + 1 < words.count else { return }
    let socket = words[place + 1].dropLast("AppGroup".count) + "os/iosd.sock"
    let request = ControlMessage("container", ["id": "group.com.example.lightning"])
    do throws(ControlClientError) {
      let answer = try ControlClient(path: String(socket), daemon: "iosd").request(request)
      say("status", ["text": "on the socket: \(answer["path"] ?? "nothing")"])
    } catch { say("status", ["text": error.description]) }
  }

  func hearOfKeychain(_ message: ControlMessage) {
    let words = message["message"] ?? message["path"] ?? (message.body.isEmpty ? "written" : message.bodyText)
    if behaviour == "ext-shrinks" { shrink() }
    guard ["ext-keychain", "ext-shrinks"].contains(behaviour), let push = message["request"] else {
      return say("status", ["text": words])
    }
    content(push, words)
    say("finished", ["id": push, "reason": "done"])
  }

  func playAudio() {
    guard behaviour.hasPrefix("app-audio") else { return }
    say(
      "audio-start",
      [
        "volume": "0.01", "mixes": "no", "loops": "-1",
      ])
  }

  func hearOfTask(_ message: ControlMessage) {
    let done = { (success: String) in
      self.say(
        "task-done",
        [
          "identifier": message["identifier"] ?? "", "run": message["run"] ?? "", "success": success,
        ])
    }
    switch (message.verb, behaviour) {
    case ("task", "app-task-twice"):
      done("yes")
      done("yes")
    case ("task-refused", _), ("audio-refused", _): say("status", ["text": message["message"] ?? ""])
    case ("keychain-answer", _), ("keychain-refused", _): hearOfKeychain(message)
    case ("memory-warning", _): giveBack()
    case ("audio-interrupted", _): say("status", ["text": "interrupted"])
    default: break
    }
  }
}

// What keeps a test process from being suspended well.
extension TestChild {
  private var container: String? {
    let words = CommandLine.arguments
    guard let place = words.firstIndex(of: "--container"), place + 1 < words.count else { return nil }
    return words[place + 1]
  }

  /// A role lock, until the descriptor is closed.
  @discardableResult func takeLock(_ role: String) -> Int32 {
    guard let container else { return -1 }
    let directory = "\(container)/locks"
    mkdir(container, 0o700)
    mkdir(directory, 0o700)
    let lock = open("\(directory)/\(role).lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    flock(lock, LOCK_EX | LOCK_NB)
    return lock
  }

  /// A connection to a database of its own, which stays open. A name with `unfinished` steps its SELECT only once.
  func readDatabase(inWALMode: Bool) {
    guard let container else { return }
    mkdir(container, 0o700)
    let idle = connection("\(container)/other.sqlite")
    run("PRAGMA journal_mode=\(inWALMode ? "WAL" : "DELETE")", on: idle)
    run("CREATE TABLE IF NOT EXISTS rows (x); INSERT INTO rows VALUES (1), (2)", on: idle)
    guard behaviour.contains("unfinished") else { return }
    var statement: OpaquePointer?
    let database = connection("\(container)/other.sqlite")
    guard sqlite3_prepare_v2(database, "SELECT x FROM rows", -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW
    else { fatalError(String(cString: sqlite3_errmsg(database))) }
  }

  private func connection(_ path: String) -> OpaquePointer? {
    var database: OpaquePointer?
    guard sqlite3_open(path, &database) == SQLITE_OK else { fatalError("cannot open \(path)") }
    return database
  }

  private func run(_ sql: String, on database: OpaquePointer?) {
    guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
      fatalError(String(cString: sqlite3_errmsg(database)))
    }
  }
}

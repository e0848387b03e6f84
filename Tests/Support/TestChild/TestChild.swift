import DaemonRuntime
import Glibc

/// A wallet process whose name selects its behaviour, good or bad.
final class TestChild {
  let behaviour: String
  private let descriptor: Int32
  private let loop: EventLoop
  let phone: UnixConnection
  private var ballast: [UnsafeMutableRawPointer] = []
  private var pushesServed = 0
  private var pages: [UnsafeMutableRawPointer] = []
  private var warnings = 0
  private var isGrowing = false

  init(behaviour: String) throws {
    self.behaviour = behaviour
    loop = try EventLoop()
    guard let descriptor = ParentChannel.take(),
      let phone = UnixConnection(adopting: descriptor, loop: loop)
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
    if behaviour != "ext-starts-slowly" { say("hello", ["role": role, "pid": "\(getpid())"]) }
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
    case "activity-expired": say("status", ["text": "activity \(id) expires"])
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
    case "app-never-done": return
    case "app-endless-task": say("background-begin", ["id": "1", "name": "endless"])
    case "app-keeps-lock": takeLock("app")
    case let name where name.contains("selects"): readDatabase(inWALMode: !name.hasSuffix("rollback"))
    case "app-activity": beginActivity()
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
    case "ext-hang", "ext-expires", "ext-starts-slowly": return
    case let name where name.contains("selects"):
      readDatabase(inWALMode: !name.hasSuffix("rollback"))
      content(id, "served")
    case "ext-activity":
      beginActivity()
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
    case "ext-ballast": return grow()
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
    case "ext-announcer":
      say("content", ["id": id, "key": "a", "title": "Payment Incoming", "body": "announced"])
    case "ext-poster":
      post()
      content(id, "served")
    case "ext-twice":
      content(id, "first")
      content(id, "second")
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

  /// In steps, as a program grows, and not by one huge allocation.
  private func grow() {
    guard ballast.count < 30 else { return }
    let block = UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 4096)
    block.initializeMemory(as: UInt8.self, repeating: 1, count: 1 << 20)
    ballast.append(block)
    loop.after(.milliseconds(1)) { [unowned self] in grow() }
  }

  private func post() {
    for number in 0..<10 { say("notification", ["title": "Test", "body": "\(number)", "badge": "1"]) }
  }

  /// The answer is plain bytes: the phone passes on any body.
  private func answer(_ message: ControlMessage) {
    if behaviour == "app-poster" { post() }
    if behaviour == "app-receives" {
      say("notification", ["key": "r", "withdraw": "a", "title": "Received payment", "body": "received"])
    }
    if behaviour == "app-connects" { connect(to: message.bodyText) }
    guard message.bodyText != "ignore" else { return }
    say("answer", ["request": message["request"] ?? ""], body: Array("answer to ".utf8) + message.body)
  }
}

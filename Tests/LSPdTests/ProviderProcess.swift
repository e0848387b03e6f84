import Baton
import LightningIO

@testable import LSPd

/// lspd as a real process in its own directory, which is removed afterwards.
final class ProviderProcess {
  private let place = TemporaryDirectory()
  var home: String { place.path }
  let loop: EventLoop
  private let arguments: [String]
  private(set) var child: ChildProcess?

  /// `others`: the nodes of other phones' wallets, which it serves too.
  init(_ arguments: [String] = [], others: [PublicKey] = []) throws {
    let home = place.path
    mkdir("\(home)/os", 0o700)
    let phones = others.indices.map { "\(home)/phone-\($0 + 2)" }
    for (phone, node) in zip(phones, others) {
      for directory in [phone, "\(phone)/Keychain", "\(phone)/os"] { mkdir(directory, 0o700) }
      try NodeIDFile.write(node, to: "\(phone)/Keychain/wallet-node")
    }
    self.arguments = arguments + phones.flatMap { ["--phone", $0] }
    loop = try EventLoop()
    try start()
  }

  deinit {
    kill()
    Journals.replay(of: home)
  }

  static let binary = "\(Started.directory)/lspd"

  /// Returns when lspd takes requests.
  func start() throws {
    var options = ChildProcess.Options()
    // The test's thread may end before the test does.
    options.diesWithParent = false
    options.stackBytes = -1
    let silence = open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { close(silence) }
    options.output = silence
    let child = try ChildProcess.start(
      Self.binary, arguments: ["--home", home] + arguments, boot: Clock().boot, options: options)
    close(child.channel)
    self.child = child
    let isUp = try eventually { address != nil && (try? client().request(ControlMessage("status"))) != nil }
    try #require(isUp, "lspd did not start")
  }

  /// Of lspd that refuses its arguments, or only prints.
  static func exitCode(_ arguments: [String], preloading library: String? = nil) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: binary)
    process.arguments = ["--home", "/nonexistent"] + arguments
    process.environment = library.map { ["LD_PRELOAD": $0] }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.start()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Polls a condition on another process, with the loop running in between.
  func eventually(_ condition: () throws -> Bool) throws -> Bool {
    do {
      try Wait.until(
        "lspd", pause: { _ in try loop.turn(waitingMilliseconds: 5) }, condition)
      return true
    } catch is Wait.Failure { return false }
  }

  /// Sends SIGKILL and waits for the end.
  func kill() {
    guard let child else { return }
    Glibc.kill(child.identity.pid, SIGKILL)
    _ = ChildEnd.reap(child.identity.pid)
    close(child.pidfd)
    self.child = nil
  }

  func signal(_ number: Int32) { if let child { Glibc.kill(child.identity.pid, number) } }

  /// Of the running lspd.
  func limitDescriptors(to count: UInt) throws {
    let child = try #require(child)
    let limited = try Started.run(
      "/usr/bin/prlimit", ["--pid", "\(child.identity.pid)", "--nofile=\(count)"])
    try #require(limited.code == 0)
  }

  var descriptorCount: Int? { descriptors?.count }

  private var descriptors: [UInt]? {
    child.flatMap {
      DirectoryListing.names(of: "/proc/\($0.identity.pid)/fd")?.compactMap { UInt($0) }.sorted()
    }
  }

  private var limit: UInt = 0

  /// To the smallest number below which so many descriptors are free, or more if lspd has closed some.
  func limitDescriptors(leaving count: Int) throws {
    let used = Set(try #require(descriptors))
    var free = count
    limit = 0
    while free > 0 || limit <= used.max() ?? 0 {
      if !used.contains(limit) { free -= 1 }
      limit += 1
    }
    try limitDescriptors(to: limit)
  }

  /// Below the limit that was set so.
  func freeDescriptors() throws -> Int {
    let used = try #require(descriptors)
    return Int(limit) - used.count
  }

  /// Waits until lspd ends by itself; nil if it does not.
  func reapWhenEnded() throws -> ChildEnd? {
    guard let child, try eventually({ isReadable(child.pidfd) }) else { return nil }
    defer {
      close(child.pidfd)
      self.child = nil
    }
    return ChildEnd.reap(child.identity.pid)
  }

  /// Asks lspd to stop and waits for its end.
  func goDown() throws -> ChildEnd? {
    guard let child else { return nil }
    _ = try client().request(ControlMessage("down"))
    defer {
      close(child.pidfd)
      self.child = nil
    }
    return ChildEnd.reap(child.identity.pid)
  }

  var address: PeerAddress? {
    SmallFile.read("\(home)/lsp/address", limit: 128).flatMap {
      PeerAddress(String(decoding: $0.filter { $0 > 32 }, as: UTF8.self))
    }
  }

  func client() throws -> ControlClient { try ControlClient(path: "\(home)/lsp/lspd.sock", daemon: "lspd") }

  /// Asks to pay and leaves the answer to be read from the client.
  func pay(
    _ number: UInt64, msat: UInt64 = 1000, hold: Int = 60, waiting: Bool = true, to payee: PublicKey? = nil
  )
    throws -> ControlClient
  {
    let client = try client()
    var message = ControlMessage(
      "pay",
      [
        "payment-hash": paymentHash(number).hex, "amount-msat": "\(msat)", "hold-seconds": "\(hold)",
        "wait": waiting ? "yes" : "no",
      ])
    if let payee { message["payee"] = payee.hex }
    try client.send(message)
    return client
  }

  /// In the ledger, while lspd does not run.
  func change(_ sql: String) throws {
    try Connection(path: "\(home)/lsp/ledger.sqlite", access: .readWrite).execute(sql)
  }

  /// The first column of the query's rows in the ledger.
  func ledger(_ sql: String) throws -> [SQLValue] {
    let database = try Connection(path: "\(home)/lsp/ledger.sqlite", access: .readOnly, busyTimeoutMs: 5000)
    return try database.rows(sql).map { try $0.value(0) }
  }
}

/// A pidfd is readable once its process has ended.
private func isReadable(_ descriptor: Int32) -> Bool {
  var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  return poll(&waiting, 1, 0) == 1
}

func preimage(_ number: UInt64) -> Bytes32 { SHA256.hash(Array("preimage \(number)".utf8)) }

func paymentHash(_ number: UInt64) -> Bytes32 { SHA256.hash(preimage(number).bytes) }

/// In place of iosd at a phone's socket: each push gets an answer.
final class PushedPhone {
  private(set) var pushes: [ControlMessage] = []
  /// Called with the number of pushes, before the answer to the last.
  var onPush: (Int) -> Void = { _ in }
  private var listener: UnixListener?

  init(_ provider: ProviderProcess, home: String? = nil) throws {
    listener = try UnixListener(path: "\(home ?? provider.home)/os/iosd.sock", loop: provider.loop) {
      [unowned self] client in
      client.onMessage = { [unowned self] message in
        pushes.append(message)
        onPush(pushes.count)
        client.send(ControlMessage("ok", ["id": "\(pushes.count)"]))
      }
    }
  }

  deinit { listener?.shutDown() }

  var bodies: [[UInt8]] { pushes.map(\.body) }

  func json(_ place: Int) throws -> JSONValue { try #require(JSONValue(parsing: bodies[place])) }
}

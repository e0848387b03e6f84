import DaemonRuntime
import Glibc
import Ground

/// The directory that is one phone, held by one iosd at a time.
final class PhoneHome {
  let path: String
  private let lock: Int32

  var system: String { "\(path)/os" }
  var container: String { "\(path)/AppGroup" }
  var keychain: String { "\(path)/Keychain" }
  var journal: String { "\(path)/journal" }
  var clock: String { "\(path)/os/clock" }
  var controlSocket: String { "\(path)/os/iosd.sock" }
  var processes: String { "\(path)/os/processes.jsonl" }
  var notifications: String { "\(path)/os/notifications.jsonl" }
  var device: String { "\(path)/os/device.json" }
  var categories: String { "\(path)/os/categories.json" }
  var keychainItems: String { "\(keychain)/items" }
  var keychainKey: String { "\(path)/os/keychain.key" }
  /// The text that the app copied last.
  var pasteboard: String { "\(path)/os/pasteboard" }
  var output: String { "\(path)/os/output" }
  var tasks: String { "\(path)/os/tasks.jsonl" }
  var pushes: String { "\(path)/os/pushes.jsonl" }
  /// While it is there, the databases of the container get no more room.
  var fullDisk: String { "\(path)/os/full-disk" }

  init(_ path: String) throws {
    self.path = path
    // Create all directories before the first file is opened.
    try OwnHome.make(path, ["os", OwnHome.container, "Keychain", "Keychain/items", "journal"])
    lock = try Self.takeLock("\(path)/os/iosd.lock", home: path)
  }

  deinit { if lock >= 0 { close(lock) } }

  /// The kernel drops the lock with the process; the file stays, as another iosd may have it open already.
  private static func takeLock(_ file: String, home: String) throws -> Int32 {
    let descriptor = try PlainFile.open(file, O_RDWR | O_CREAT)
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let code = errno
      let text = SmallFile.read(file, limit: 32).map { String(decoding: $0, as: UTF8.self) } ?? ""
      close(descriptor)
      guard code == EWOULDBLOCK else { throw SystemError("lock \(file)", code: code) }
      throw PhoneInUse(home: home, pid: Int32(text.prefix { $0 != "\n" }))
    }
    let line = Array("\(getpid())\n".utf8)
    ftruncate(descriptor, 0)
    pwrite(descriptor, line, line.count, 0)
    return descriptor
  }
}

/// Another iosd runs the phone.
struct PhoneInUse: Error, CustomStringConvertible {
  var home: String
  var pid: Int32?

  var description: String {
    "the phone \(home) is run by another iosd\(pid.map { " (process \($0))" } ?? ""); use that phone, or stop it with `baton down`"
  }
}

/// Runs one iosd from start to end. Every failure prints one sentence.
func runPhone(with options: PhoneOptions) {
  let home: PhoneHome
  do { home = try PhoneHome(options.home) } catch { exitWithSentence(.cannotCreate, "\(error)") }
  for program in [options.app, options.serviceExtension] where access(program, X_OK) != 0 {
    exitWithSentence(
      .badConfiguration, "\(program) cannot be run; build it, or name another program with --app or --ext")
  }
  do {
    let loop = try EventLoop()
    var goDown = {}
    let socketWatch = try SocketWatch(path: home.controlSocket, loop: loop) { goDown() }
    defer { withExtendedLifetime(socketWatch) {} }
    let clockKeeper = try ClockKeeper(home.clock)
    let clock = Clock(phoneClockFile: home.clock)
    let journal = try Journal(
      directory: home.journal, name: "iosd", clock: clock, version: batonVersion,
      arguments: Array(TypedArguments.words.dropFirst()))
    let shell = try PhoneShell(options: options, home: home, loop: loop, clock: clock, journal: journal)
    let server = ControlServer(shell: shell, clockKeeper: clockKeeper)
    // We hold the phone's lock, so a live listener there belongs to a stray test or tool, never to an iosd.
    let listener = try UnixListener(path: home.controlSocket, loop: loop, replacingLive: true) {
      server.welcome($0)
    }
    shell.onPowerOff = { [unowned shell, unowned server] in
      shell.memoryLimiter.removeGroup()
      server.sayPoweredOff()
      loop.stop()
    }
    shell.onAppEnded = { [unowned server] in server.appEnded() }
    shell.onWalletNews = { [unowned server] in server.tellWalletNews() }
    shell.onBoot = { [unowned server] in server.booted(losingBeats: $0) }
    goDown = { [unowned shell] in shell.handle(.downRequested) }
    for signal in [SIGTERM, SIGINT] { try loop.onSignal(signal, goDown) }
    socketWatch.lookAgain()
    try loop.run()
    journal.recordEnd(reason: "powered off")
    // The listener keeps the control server and the shell alive until here.
    listener.shutDown()
  } catch { exitWithSentence(.inputOutputError, "\(error)") }
}

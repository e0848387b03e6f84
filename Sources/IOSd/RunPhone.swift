import Ground
import DaemonRuntime
import Glibc

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

import Ground
import DaemonRuntime
import Glibc

/// The whole life of one iosd. Every way to fail ends in one sentence.
func runPhone(with options: PhoneOptions) {
  let home: PhoneHome
  do throws(PhoneHomeError) {
    home = try PhoneHome(options.home)
  } catch { exitWithSentence(.cannotCreate, error.description) }
  for program in [options.app, options.serviceExtension] where access(program, X_OK) != 0 {
    exitWithSentence(
      .badConfiguration, "\(program) cannot be run; build it, or name another with --app or --ext")
  }
  do {
    let loop = try EventLoop()
    let clockKeeper = try ClockKeeper(home.clock)
    let clock = Clock(phoneClockFile: home.clock)
    let journal = try Journal(
      directory: home.journal, name: "iosd", clock: clock, version: batonVersion,
      arguments: Array(CommandLine.arguments.dropFirst()))
    let shell = try PhoneShell(options: options, home: home, loop: loop, clock: clock, journal: journal)
    let desk = ControlDesk(shell: shell, clockKeeper: clockKeeper)
    // The phone is locked by us: whoever listens there is a stray of an earlier test or tool, never a live iosd.
    let listener = try UnixListener(path: home.controlSocket, loop: loop, replacingLive: true) {
      desk.welcome($0)
    }
    shell.onPowerOff = { [unowned shell, unowned desk] in
      shell.memoryLimiter.removeGroup()
      desk.sayPoweredOff()
      loop.stop()
    }
    shell.onAppEnded = { [unowned desk] in desk.appEnded() }
    shell.onBoot = { [unowned desk] in desk.booted(losingBeats: $0) }
    for signal in [SIGTERM, SIGINT] {
      try loop.onSignal(signal) { [unowned shell] in shell.handle(.downRequested) }
    }
    try loop.run()
    journal.recordEnd(reason: "powered off")
    // It keeps the desk, and the desk the shell, until here.
    listener.shutDown()
  } catch { exitWithSentence(.inputOutputError, "\(error)") }
}

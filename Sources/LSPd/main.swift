// lspd: plays the Lightning peer and service provider, and keeps the ledger by which every run is judged. A shell:
// `PeerMachine` decides; here are sockets, the ledger and a control socket.

import Ground
import DaemonRuntime
import Glibc

// The ledger holds preimages of others: nobody else reads it, wherever it lies.
umask(0o077)
CrashTraces.withholdMemory()
let options = ProviderOptions(ProviderOptions.declaration.parseOrExit())

do throws(SystemError) {
  // Before anything in it is used: who prepared a home for us knows the key in it.
  try OwnHome.make(options.home, ["lsp", "journal"])
} catch { exitWithSentence(.cannotCreate, error.description) }
do {
  let loop = try EventLoop()
  let clock = Clock()
  // First of all, as it refuses a second lspd on the same directory before that touches the ledger.
  var provider: Provider?
  let control = try UnixListener(path: options.socket, loop: loop) { provider?.accept($0) }
  let journal = try Journal(
    directory: options.journal, name: "lspd", clock: clock, version: batonVersion,
    arguments: Array(CommandLine.arguments.dropFirst()))
  BusErrorEnd.install(database: options.ledger)
  try Ledger.check(path: options.ledger)
  let ledger = try Ledger(path: options.ledger)
  let key = try NodeKeyFile(path: options.nodeKey).readOrMake(isNew: try !ledger.isKnownByNodes())
  let running = try Provider(
    options: options, loop: loop, clock: clock, journal: journal, ledger: ledger, key: key)
  provider = running
  try loop.onSignal(SIGTERM) { running.goDown("SIGTERM") }
  try loop.onSignal(SIGINT) { running.goDown("SIGINT") }
  try running.listen()
  try loop.run()
  control.shutDown()
} catch let error where error is SecretFileError || error is NodeKeyError {
  exitWithSentence(.badConfiguration, "\(error)")
} catch let error as UnixListenerError {
  exitWithSentence(.cannotCreate, error.description)
} catch {
  exitWithSentence(.inputOutputError, "\(error)")
}

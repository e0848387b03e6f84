// lspd: the LSP and the wallet's peer, with the ledger that is the judge's evidence. A shell: `PeerMachine` decides;
// lspd has sockets, the ledger and a control socket.

import Ground
import DaemonRuntime
import Glibc

// The ledger has other nodes' preimages: only this user may read it, also outside a protected directory.
umask(0o077)
CrashTraces.withholdMemory()
let options = ProviderOptions(ProviderOptions.declaration.parseOrExit())

do throws(SystemError) {
  // Before its files are used: another user who prepared the home would know the key in it.
  try OwnHome.make(options.home, ["lsp", "journal"])
} catch { exitWithSentence(.cannotCreate, error.description) }
do {
  let loop = try EventLoop()
  let clock = Clock()
  var goDown: (String) -> Void = { _ in }
  let socketWatch = try SocketWatch(path: options.socket, loop: loop) { goDown("its socket was removed") }
  defer { withExtendedLifetime(socketWatch) {} }
  // First, as it refuses a second lspd on the same directory before that opens the ledger.
  var provider: Provider?
  let control = try UnixListener(path: options.socket, loop: loop) { client in
    if let provider { provider.accept(client, for: provider.own) }
  }
  let journal = try Journal(
    directory: options.journal, name: "lspd", clock: clock, version: batonVersion,
    arguments: Array(TypedArguments.words.dropFirst()))
  loop.onLate = { journal.recordLate(since: $0) }
  BusErrorEnd.install(database: options.ledger)
  let keyFile = NodeKeyFile(path: options.nodeKey)
  try keyFile.checkLedger(at: options.ledger)
  let ledger = try Ledger(path: options.ledger)
  let key = try keyFile.readOrMake(isNew: !ledger.isKnownByNodes())
  let running = try Provider(
    options: options, loop: loop, clock: clock, journal: journal, ledger: ledger, key: key)
  provider = running
  goDown = { running.goDown($0) }
  socketWatch.lookAgain()
  try loop.onSignal(SIGTERM) { goDown("SIGTERM") }
  try loop.onSignal(SIGINT) { goDown("SIGINT") }
  try running.listenForSenders()
  try running.listen()
  try loop.run()
  ledger.close()
  control.shutDown()
} catch let error where error is SecretFileError || error is NodeKeyError || error is ServedPhoneError {
  exitWithSentence(.badConfiguration, "\(error)")
} catch let error as UnixListenerError { exitWithSentence(.cannotCreate, error.description) } catch {
  exitWithSentence(.inputOutputError, "\(error)")
}

import Ground
import Crypto
import DaemonRuntime
import LightningWire
import LightningProvider
import PeerTransport

// The wallets: which one a connection or a payment belongs to, and which are in memory. `WalletDirectory` decides.
extension Provider {
  // MARK: In memory

  /// From memory, or else from the ledger.
  func wallet(_ number: WalletNumber) throws -> ServedWallet {
    if let known = served[number] { return known }
    try ledger.share?.lease(number, at: ledger.time(clock.now))
    let phone = phone(of: number)
    let wallet = try ServedWallet(
      number, of: self, state: try readState(of: number),
      phoneSocket: try ledger.phoneSocket(of: number) ?? phone?.iosdSocket, awaitsWallet: phone != nil)
    served[number] = wallet
    lostConnections(of: wallet)
    return wallet
  }

  func readState(of number: WalletNumber) throws -> PeerState {
    guard let newChannel = Bytes32(randomBytes(Bytes32.size)) else {
      throw LedgerError.unreadable("no random bytes")
    }
    return try ledger.readState(of: number, newChannel: newChannel, at: clock.now)
  }

  /// It is in the ledger alone, and another lspd may serve it. A phone's wallet stays with its socket.
  private func release(_ number: WalletNumber) throws {
    if number != ownNumber, phone(of: number) == nil { try ledger.share?.release(number) }
  }

  func lostConnections(of wallet: ServedWallet) {
    directory.rests(wallet.number, at: clock.now)
    armDirectory()
  }

  private func armDirectory() {
    let deadline = directory.deadline
    if let directoryTimer, directoryTimer.isPending, directoryTimer.instant == deadline { return }
    directoryTimer?.cancel()
    directoryTimer = deadline.map { loop.at($0) { [weak self] in self?.directoryIsDue() } }
  }

  private func directoryIsDue() {
    for id in directory.takeSilent(at: clock.now) { forgetNewcomer(id) }
    for number in directory.takeRested(at: clock.now) {
      if served[number]?.isQuiet == true {
        served[number] = nil
        do { try release(number) } catch { fail(error) }
      } else {
        directory.rests(number, at: clock.now)
      }
    }
    armDirectory()
  }

  // MARK: Connections

  var ownIdentity: WalletDirectory.Own {
    WalletDirectory.Own(node: own.runner.core.state.wallet, awaitsName: own.runner.core.lacksWallet)
  }

  func accept(_ connection: PeerConnection) {
    do {
      try readWalletFile()
      try namePhones()
      let id = nextNewcomer
      nextNewcomer += 1
      let known = try connection.remote.flatMap(ledger.wallet(of:))
      switch directory.arrived(id, of: connection.remote, known: known, own: ownIdentity, at: clock.now) {
      case .joins(let number): guard try joins(number, connection) else { return }
      case .waits(let evicted):
        if let evicted { forgetNewcomer(evicted) }
        newcomers[id] = connection
        connection.onMessage = { [unowned self] in heard($0, from: id) }
        connection.onEnd = { [unowned self] _ in forgetNewcomer(id) }
      }
      connection.start()
      armDirectory()
    } catch { fail(error) }
  }

  /// False: another lspd serves the wallet.
  private func joins(_ number: WalletNumber, _ connection: PeerConnection) throws -> Bool {
    do {
      try join(number, connection)
      return true
    } catch let error as WalletElsewhereError {
      connection.start()
      turnAway(connection, error.description)
      return false
    }
  }

  private func join(_ number: WalletNumber, _ connection: PeerConnection) throws {
    let wallet = try wallet(number)
    directory.stirs(number)
    wallet.accept(connection)
    // A connection that the machine turned away has left nothing.
    if !wallet.isConnected { lostConnections(of: wallet) }
  }

  /// The first message of a node that is no wallet.
  private func heard(_ bytes: [UInt8], from id: UInt64) {
    guard let connection = newcomers.removeValue(forKey: id) else { return }
    do {
      let entry = try ledger.allocating(at: clock.now) { count in
        directory.learn(count: count)
        let known = try connection.remote.flatMap(ledger.wallet(of:))
        let entry = directory.heard(
          from: id, of: connection.remote, hasClaim: Self.hasClaim(bytes), known: known, own: ownIdentity)
        if case .begins(let number) = entry, let node = connection.remote {
          try ledger.begin(number, of: node)
        }
        return entry
      }
      switch entry {
      case .joins(let number), .begins(let number): guard try joins(number, connection) else { return }
      case .isFull: return turnAway(connection)
      }
      // As if it had waited for its wallet in the socket.
      connection.onMessage?(bytes)
    } catch let error as WalletsLockedError {
      directory.left(id)
      turnAway(connection, error.description)
    } catch { fail(error) }
  }

  private static func hasClaim(_ bytes: [UInt8]) -> Bool {
    guard let heard = try? HeardMessage(bytes), case .initMessage(let message) = heard.message else {
      return false
    }
    return message.fence != nil
  }

  /// Without a row, as for any other node that is too much.
  private func turnAway(_ connection: PeerConnection) {
    let sentence = WalletLimitError(limit: directory.limit).description
    turnAway(connection, sentence)
    if !hasReportedFull {
      hasReportedFull = true
      printLine("lspd: \(sentence)")
    }
  }

  private func turnAway(_ connection: PeerConnection, _ sentence: String) {
    connection.onMessage = nil
    connection.onEnd = nil
    connection.send(
      Message.initMessage(InitMessage(features: .ofProvider(splices: options.splices))).encoded())
    connection.send(Message.warning(ErrorOrWarning(text: sentence)).encoded())
    connection.hangUp()
  }

  func forgetNewcomer(_ id: UInt64) {
    directory.left(id)
    newcomers.removeValue(forKey: id)?.cutOff()
  }

  // MARK: The control socket

  /// Without a payee the wallet of the phone whose socket was asked.
  func wallet(ofPayee payee: PublicKey?, for asked: WalletNumber) throws -> ServedWallet? {
    guard payee != nil else { return try wallet(asked) }
    let known = try payee.flatMap(ledger.wallet(of:))
    let found = directory.wallet(ofPayee: payee, known: known, own: ownIdentity)
    return try found.map { try wallet($0) }
  }

  /// The wallet that the message names by its node; without a name that of the phone whose socket was asked.
  func number(of message: ControlMessage, for asked: WalletNumber) throws -> WalletNumber {
    guard let node = try node("wallet", message) else { return asked }
    if node == ownIdentity.node { return ownNumber }
    guard let number = try ledger.wallet(of: node) else { throw UnknownWalletError(node: node) }
    return number
  }

  /// Where the pushes of a wallet go, which need not have connected yet.
  func register(_ message: ControlMessage, for client: UnixConnection) throws {
    guard let node = try node("node", message) else {
      throw ControlMessageError.missingField(verb: "wallet", name: "node")
    }
    let socket = try phoneSocket(message)
    let number = try ledger.allocating(at: clock.now) { count in
      directory.learn(count: count)
      switch directory.named(node, known: try ledger.wallet(of: node), own: ownIdentity) {
      case .joins(let known): return known
      case .begins(let new):
        try ledger.begin(new, of: node)
        return new
      case .isFull: throw WalletLimitError(limit: directory.limit)
      }
    }
    try ledger.share?.lease(number, at: ledger.time(clock.now))
    try ledger.register(socket, of: number)
    if served[number] == nil { try release(number) }
    let usual = number == ownNumber ? options.ownPhoneSocket : phone(of: number)?.iosdSocket
    served[number]?.sendPushes(to: socket ?? usual)
    client.send(ControlMessage("wallet", ["number": "\(number.value)"]))
  }

  private func phoneSocket(_ message: ControlMessage) throws -> String? {
    guard let path = message["phone-socket"] else { return nil }
    guard path.hasPrefix("/"), path.utf8.count <= Self.socketPathMax, !path.utf8.contains(0) else {
      throw ControlMessageError.badValue(
        name: "phone-socket", expected: "an absolute path of at most \(Self.socketPathMax) bytes")
    }
    return path
  }

  /// `sun_path` without its end.
  private static var socketPathMax: Int { 107 }
}

struct WalletLimitError: Error, CustomStringConvertible {
  var limit: Int

  var description: String {
    limit > 1
      ? "this LSP serves \(limit) wallets and takes no more; start lspd with a larger --wallets-max"
      : "this LSP serves one wallet and takes no other; start lspd with --wallets"
  }
}

struct UnknownWalletError: Error, CustomStringConvertible {
  var node: PublicKey

  var description: String {
    "no wallet has the node id \(node.hex); it becomes one when it connects, if lspd was started with --wallets"
  }
}

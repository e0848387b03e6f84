import Ground
import Crypto
import DaemonRuntime
import Lightning
import LightningProvider
import LightningIO

// The wallets: that of lspd's own phone, which also takes unknown nodes, and those of the other phones.
extension Provider {
  /// All of the ledger, as a hold ends and a push goes out without the wallet.
  func beginWallets() throws {
    own = try begin(
      .own, state: try ownState(), phoneSocket: options.ownPhoneSocket,
      awaitsWallet: options.walletFile != nil && options.wallet == nil)
    for number in try ledger.wallets() where number != .own {
      let phone = phones.first { $0.wallet == number }
      _ = try begin(
        number, state: try readState(of: number), phoneSocket: phone?.iosdSocket, awaitsWallet: phone != nil)
    }
  }

  private func begin(
    _ number: WalletNumber, state: PeerState, phoneSocket: String?, awaitsWallet: Bool
  ) throws -> ServedWallet {
    let wallet = try ServedWallet(
      number, of: self, state: state, phoneSocket: phoneSocket, awaitsWallet: awaitsWallet)
    wallets[number] = wallet
    return wallet
  }

  private func ownState() throws -> PeerState {
    var state = try readState(of: .own)
    guard let wallet = options.wallet else { return state }
    guard state.wallet ?? wallet == wallet, try ledger.wallet(of: wallet) ?? .own == .own else {
      throw LedgerError.otherWallet
    }
    state.wallet = wallet
    return state
  }

  private func readState(of number: WalletNumber) throws -> PeerState {
    guard let newChannel = Bytes32(randomBytes(Bytes32.size)) else {
      throw LedgerError.unreadable("no random bytes")
    }
    return try ledger.readState(of: number, newChannel: newChannel, at: clock.now)
  }

  func accept(_ connection: PeerConnection) {
    do {
      try readWalletFile()
      try namePhones()
      try (connection.remote.flatMap(wallet(of:)) ?? own).accept(connection)
      connection.start()
    } catch { fail(error) }
  }

  private func wallet(of node: PublicKey) throws -> ServedWallet? {
    if node == own.runner.core.state.wallet { return own }
    return try ledger.wallet(of: node).flatMap { wallets[$0] }
  }

  // MARK: The control socket

  /// Without a payee the wallet of the phone whose socket was asked. Nil: the payee is no wallet. An LSP with one wallet
  /// leaves that to the wallet's machine, which may not know its node yet.
  func wallet(ofPayee payee: PublicKey?, for asked: ServedWallet) throws -> ServedWallet? {
    guard let payee else { return asked }
    return try wallet(of: payee) ?? (wallets.count == 1 ? own : nil)
  }

  /// The wallet that the message names by its node; without a name that of the phone whose socket was asked.
  func wallet(namedIn message: ControlMessage, for asked: ServedWallet) throws -> ServedWallet {
    guard let node = try node("wallet", message) else { return asked }
    guard let wallet = try wallet(of: node) else { throw UnknownWalletError(node: node) }
    return wallet
  }
}

struct UnknownWalletError: Error, CustomStringConvertible {
  var node: PublicKey

  var description: String {
    "no wallet of this LSP has the node id \(node.hex); `--phone` adds the wallet of another phone"
  }
}

import Ground
import DaemonRuntime
import LightningProvider
import PeerTransport

// The other phones, whose wallets lspd serves beside that of its own phone.
extension Provider {
  /// Each has a wallet from the start, so that its own `baton` can ask about it before its node is known.
  func beginPhones() throws {
    for home in options.phones {
      var wallet = try ledger.wallet(ofPhone: home)
      if wallet == nil {
        guard let new = directory.reserve() else { throw WalletLimitError(limit: directory.limit) }
        try ledger.begin(new, ofPhone: home)
        wallet = new
      }
      if let wallet { phones.append(ServedPhone(home: home, wallet: wallet)) }
    }
  }

  func listenForPhones(_ address: PeerAddress) throws {
    for phone in phones {
      try OwnHome.make(phone.home, ["lsp"])
      phoneListeners.append(
        try UnixListener(path: phone.socket, loop: loop) { [unowned self] in
          accept($0, for: phone.wallet)
        })
      try AddressFile(path: phone.address).write(address)
    }
  }

  /// A phone's wallet is the node that the phone has written down: before it has, no connection can be its wallet's.
  func namePhones() throws {
    for phone in phones where try ledger.node(of: phone.wallet) == nil {
      guard let node = NodeIDFile.read(phone.nodeFile), node != ownIdentity.node,
        try ledger.wallet(of: node) == nil
      else { continue }
      try ledger.name(phone.wallet, node)
      served[phone.wallet]?.runner.handle(.walletNamed(node))
    }
  }

  func phone(of wallet: WalletNumber) -> ServedPhone? { phones.first { $0.wallet == wallet } }
}

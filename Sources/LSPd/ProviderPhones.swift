import Ground
import DaemonRuntime
import Glibc
import LightningProvider
import PeerTransport

// The other phones, whose wallets lspd serves beside that of its own phone.
extension Provider {
  /// Those of the options, and those of earlier starts whose directory is still there.
  static func phones(_ options: ProviderOptions, home own: String, _ ledger: Ledger) throws -> [String] {
    var homes: [String] = []
    for home in options.phones {
      guard home.hasPrefix("/") else { throw ServedPhoneError.relative(home) }
      guard home != options.home, home != own else { throw ServedPhoneError.own }
      if !homes.contains(home) { homes.append(home) }
    }
    return homes
      + (try ledger.phones().filter { $0 != own && !homes.contains($0) && access($0, F_OK) == 0 })
  }

  /// Each has a wallet from the start, so that its own `baton` can ask about it before its node is known.
  func beginPhones(_ homes: [String]) throws {
    for home in homes {
      // Its wallet has a channel with that lspd, of which this one knows nothing.
      guard access(ServedPhone.ledger(home), F_OK) != 0 else { throw ServedPhoneError.hasOwn(home) }
      let wallet = try ledger.allocating(at: clock.now) { count in
        directory.learn(count: count)
        if let known = try ledger.wallet(ofPhone: home) { return known }
        guard let new = directory.reserve() else { throw WalletLimitError(limit: directory.limit) }
        try ledger.begin(new, ofPhone: home)
        return new
      }
      do {
        try ledger.share?.lease(wallet, at: ledger.time(clock.now))
        phones.append(ServedPhone(home: home, wallet: wallet))
      } catch is WalletElsewhereError {
        // The beat takes it when its lspd has ended.
        journal.note("another lspd serves the phone in \(home)")
      }
    }
  }

  /// `place`: also where its wallet has last found an lspd.
  func listen(for phone: ServedPhone) throws {
    try OwnHome.make(phone.home, ["lsp"])
    let listener = try UnixListener(path: phone.socket, loop: loop) { [unowned self] in
      accept($0, for: phone.wallet)
    }
    do { try writeAddresses(for: phone) } catch {
      // Left open it would be in the way of the next attempt.
      listener.shutDown()
      throw error
    }
    phoneListeners.append(listener)
  }

  private func writeAddresses(for phone: ServedPhone) throws {
    if let http {
      try AddressFile.write(hintToken, to: phone.httpToken)
      try HTTPAddressFile(path: phone.http).write(http.address)
    }
    let file = AddressFile(path: phone.address)
    if ledger.share != nil, let last = file.read(), last.description != address,
      let taken = try? makeListener(last.place)
    {
      takenListeners.append(taken)
    } else {
      try AddressFile.write(address, to: phone.address)
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

enum ServedPhoneError: Error, CustomStringConvertible {
  case relative(String)
  case own
  case hasOwn(String)

  var description: String {
    switch self {
    case .relative(let home): "--phone needs an absolute path, not \(home)"
    case .own: "--phone names the phone of this lspd; name another one's directory"
    case .hasOwn(let home):
      "the phone in \(home) has had an lspd of its own, with which its wallet has its channel; name another directory"
    }
  }
}

import DaemonRuntime
import Glibc
import Ground
import LightningIO
import LightningProvider

// The other phones, whose wallets lspd serves beside that of its own phone.
extension Provider {
  /// Those of the options, and those of earlier starts whose directory is still there.
  /// Each has a wallet from the start, so that its own `baton` can ask about it before its node is known.
  static func phones(_ options: ProviderOptions, _ ledger: Ledger) throws -> [ServedPhone] {
    var homes: [String] = []
    for home in options.phones {
      guard home.hasPrefix("/") else { throw ServedPhoneError.relative(home) }
      guard home != options.home else { throw ServedPhoneError.own }
      if !homes.contains(home) { homes.append(home) }
    }
    homes += try ledger.phones().filter { !homes.contains($0) && access($0, F_OK) == 0 }
    return try homes.map { home in
      // Its wallet has a channel with that lspd, of which this one knows nothing.
      guard access(ServedPhone.ledger(home), F_OK) != 0 else { throw ServedPhoneError.hasOwn(home) }
      return ServedPhone(home: home, wallet: try ledger.wallet(ofPhone: home))
    }
  }

  func listen(for phone: ServedPhone) throws {
    try OwnHome.make(phone.home, ["lsp"])
    let wallet = wallets[phone.wallet]
    phoneListeners.append(
      try UnixListener(path: phone.socket, loop: loop) { [unowned self] client in
        if let wallet { accept(client, for: wallet) }
      })
    if let http {
      try AddressFile.write(hintToken, to: phone.httpToken)
      try HTTPAddressFile(path: phone.http).write(http.address)
    }
    try AddressFile.write(address, to: phone.address)
  }

  /// A phone's wallet is the node that the phone has written down: before it has, no connection can be its wallet's.
  func namePhones() throws {
    for phone in phones where try ledger.node(of: phone.wallet) == nil {
      guard let node = NodeIDFile.read(phone.nodeFile), node != own.runner.core.state.wallet,
        try ledger.wallet(of: node) == nil
      else { continue }
      try ledger.name(phone.wallet, node)
      wallets[phone.wallet]?.runner.handle(.walletNamed(node))
    }
  }
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

/// Another phone that lspd serves too. In that phone's directory are a control socket and an address, as if it had an
/// lspd of its own, and the pushes of its wallet go to its iosd.
struct ServedPhone {
  var home: String
  var wallet: WalletNumber

  var socket: String { "\(home)/lsp/lspd.sock" }
  var address: String { "\(home)/lsp/address" }
  var http: String { "\(home)/lsp/http" }
  var httpToken: String { "\(home)/lsp/http-token" }
  /// Of an lspd of its own.
  static func ledger(_ home: String) -> String { "\(home)/lsp/ledger.sqlite" }
  var nodeFile: String { "\(home)/Keychain/wallet-node" }
  var iosdSocket: String { "\(home)/os/iosd.sock" }
}

/// lspd's address, for wallets, and for lspd to listen on the same port after a restart.
struct AddressFile {
  let path: String

  func read() -> PeerAddress? { PeerAddress(file: path) }

  static func parse(_ bytes: [UInt8]) -> PeerAddress? { PeerAddress(written: bytes) }

  func write(_ address: PeerAddress) throws(SystemError) { try Self.write("\(address)", to: path) }

  static func write(_ address: String, to path: String) throws(SystemError) {
    try PlainFile.replace(path, with: Array("\(address)\n".utf8))
  }
}

import DaemonRuntime
import Glibc
import Guardrails
import Wallet

/// The phone's keychain, read before the event loop runs, as the wallet cannot start without its seed. Other messages
/// received meanwhile are kept for later.
final class PhoneKeychain {
  static let account = "wallet-seed"

  private let channel: Int32
  private let group: String
  let protection: String
  /// In the order of their arrival.
  private(set) var earlier: [ControlMessage] = []
  private var isAsked = false

  /// nil without a phone, or if the phone keeps no seed.
  init?(channel: Int32?, _ options: WalletOptions) {
    guard let channel, let group = options.keychainGroup else { return nil }
    self.channel = channel
    self.group = group
    protection = options.seedProtection
  }

  /// Sent early: the answer arrives while other work is done.
  func ask() throws(KeychainError) {
    guard !isAsked else { return }
    isAsked = true
    try say(item(Self.account).read)
  }

  private func item(_ account: String) -> KeychainItem { KeychainItem(group: group, account: account) }

  /// nil if there is no such item.
  func seed() throws(KeychainError) -> [UInt8]? {
    try ask()
    isAsked = false
    return try readAnswer(item(Self.account))
  }

  /// nil if there is no such item.
  func read(_ account: String) throws(KeychainError) -> [UInt8]? {
    try say(item(account).read)
    return try readAnswer(item(account))
  }

  private func readAnswer(_ item: KeychainItem) throws(KeychainError) -> [UInt8]? {
    switch try answer(item.answer) {
    case .found(let secret): return secret
    case .missing: return nil
    case .withheld(let sentence): throw .withheld(sentence)
    }
  }

  /// Adds the secret, unless the other process has added one. Returns the item; nil if it is gone again.
  func keep(_ secret: [UInt8], as account: String, protection: String) throws(KeychainError) -> [UInt8]? {
    try say(item(account).addition(of: secret, protection: protection))
    switch try answer(item(account).added) {
    case .now: return secret
    case .before: return try read(account)
    case .withheld(let sentence): throw .withheld(sentence)
    }
  }

  private func say(_ message: ControlMessage) throws(KeychainError) {
    guard var packet = try? message.encoded() else { throw .phoneGone("the request cannot be encoded") }
    defer { packet.wipe() }
    while send(channel, packet, packet.count, Int32(MSG_NOSIGNAL)) != packet.count {
      guard errno == EINTR else { throw .phoneGone(SystemError("send the request").description) }
    }
  }

  private func answer<Answer>(_ read: (ControlMessage) -> Answer?) throws(KeychainError) -> Answer {
    while true {
      let message = try receive()
      if let answer = read(message) { return answer }
      earlier.append(message)
    }
  }

  private func receive() throws(KeychainError) -> ControlMessage {
    while true {
      var count = 0
      // As large as the largest message; only the received part is touched.
      var packet = [UInt8](unsafeUninitializedCapacity: ControlMessage.maximumSize + 1) { buffer, filled in
        count = recv(channel, buffer.baseAddress, buffer.count, 0)
        filled = max(0, count)
      }
      // The packet may contain a seed.
      defer { packet.wipe() }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        throw .phoneGone(
          count == 0 ? "the phone closed the channel" : SystemError("receive its answer").description)
      }
      do throws(ControlMessageError) {
        return try ControlMessage(decoding: packet)
      } catch { throw .phoneGone(error.description) }
    }
  }
}

/// Why the wallet's seed cannot be used.
enum KeychainError: Error, Hashable, CustomStringConvertible {
  case missing(String)
  case noWallet
  case wrongSize(String, Int64)
  case noNodeKey(String)
  case another(String)
  case withheld(String)
  case phoneGone(String)

  var description: String {
    switch self {
    case .missing(let path):
      "\(path) is missing and the wallet is not new; restore the seed: without it the channel and the peer's backup are unusable"
    case .noWallet: "there is no wallet yet: the app makes it when the user opens it for the first time"
    case .wrongSize(let path, let size):
      "\(path) has \(size) bytes instead of 32; restore the seed that the wallet was made with"
    case .noNodeKey(let path):
      "\(path) gives no valid node key; restore the seed that the wallet was made with"
    case .withheld(let sentence): WalletTexts.seedWithheld(sentence)
    case .phoneGone(let why): "the wallet's seed cannot be read from the phone: \(why)"
    case .another(let path):
      "\(path) is not the seed that this wallet's invoices were made with; restore that seed"
    }
  }
}

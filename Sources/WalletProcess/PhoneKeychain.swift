import DaemonRuntime
import Glibc

/// The phone's keychain, asked before the event loop runs: without the seed there is nothing to do. What the phone says
/// meanwhile is kept for later.
final class PhoneKeychain {
  static let account = "wallet-seed"

  private let channel: Int32
  private let group: String
  private let protection: String
  /// In the order in which it came.
  private(set) var earlier: [ControlMessage] = []
  private var isAsked = false

  /// Nil: there is no phone, or it keeps no seed.
  init?(channel: Int32?, _ options: WalletOptions) {
    guard let channel, let group = options.keychainGroup else { return nil }
    self.channel = channel
    self.group = group
    protection = options.seedProtection
  }

  /// As early as can be: the answer comes while other work is done.
  func ask() throws(KeychainError) {
    guard !isAsked else { return }
    isAsked = true
    try say(ControlMessage("keychain-read", ["group": group, "account": Self.account]))
  }

  /// Nil: there is no such item.
  func seed() throws(KeychainError) -> [UInt8]? {
    try ask()
    isAsked = false
    let answer = try answer()
    if answer.verb == "keychain-answer" { return answer.body }
    if answer["because"] == "missing" { return nil }
    throw .withheld(answer["message"] ?? "the phone does not say why")
  }

  /// False: there is one already, by the other process.
  func add(_ seed: [UInt8]) throws(KeychainError) -> Bool {
    try say(
      ControlMessage(
        "keychain-write",
        ["group": group, "account": Self.account, "protection": protection, "only-new": "yes"], body: seed))
    let answer = try answer()
    if answer.verb == "keychain-answer" { return true }
    if answer["because"] == "exists" { return false }
    throw .withheld(answer["message"] ?? "the phone does not say why")
  }

  private func say(_ message: ControlMessage) throws(KeychainError) {
    var message = message
    message["request"] = Self.account
    guard var packet = try? message.encoded() else { throw .phoneGone("the question cannot be written down") }
    defer { packet.wipe() }
    while send(channel, packet, packet.count, Int32(MSG_NOSIGNAL)) != packet.count {
      guard errno == EINTR else { throw .phoneGone(SystemError("ask it").description) }
    }
  }

  private func answer() throws(KeychainError) -> ControlMessage {
    while true {
      let message = try hear()
      if message["request"] == Self.account,
        message.verb == "keychain-answer" || message.verb == "keychain-refused"
      {
        return message
      }
      earlier.append(message)
    }
  }

  private func hear() throws(KeychainError) -> ControlMessage {
    while true {
      var count = 0
      // As large as a message can be; only what one fills is touched.
      var packet = [UInt8](unsafeUninitializedCapacity: ControlMessage.maximumSize + 1) { buffer, filled in
        count = recv(channel, buffer.baseAddress, buffer.count, 0)
        filled = max(0, count)
      }
      // A seed may be in it.
      defer { packet.wipe() }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        throw .phoneGone(count == 0 ? "the phone hung up" : SystemError("hear it").description)
      }
      do throws(ControlMessageError) {
        return try ControlMessage(decoding: packet)
      } catch { throw .phoneGone(error.description) }
    }
  }
}

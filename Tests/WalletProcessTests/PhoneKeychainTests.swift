@testable import DaemonRuntime
import Glibc

@testable import WalletProcess

/// The test plays the phone at the other end of a socket pair and sends its answers in advance.
@Suite("The seed in the phone's keychain") struct PhoneKeychainTests {
  private let seed = [UInt8](repeating: 1, count: 32)

  private func answer(_ body: [UInt8] = []) -> ControlMessage {
    ControlMessage("keychain-answer", ["request": PhoneKeychain.account], body: body)
  }

  private func refusal(_ because: String) -> ControlMessage {
    ControlMessage(
      "keychain-refused", ["request": PhoneKeychain.account, "because": because, "message": "no"])
  }

  private func secrets(_ answers: ControlMessage..., phoneIsGone: Bool = false) throws -> (
    WalletSecrets, [ControlMessage]
  ) {
    var ends: [Int32] = [0, 0]
    expect(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends), is: 0)
    defer { close(ends[0]) }
    for message in answers {
      let packet = try message.encoded()
      expect(send(ends[1], packet, packet.count, 0), is: packet.count)
    }
    if phoneIsGone { close(ends[1]) }
    defer { if !phoneIsGone { close(ends[1]) } }
    let declaration = CommandLineDeclaration(
      name: "test", summary: "", options: SettingsTable.options(of: .extension), examples: [])
    guard case .run(let parsed) = try declaration.parse(["--keychain-group", "g"]) else {
      throw SystemError("parse", code: EINVAL)
    }
    let keychain = try #require(PhoneKeychain(channel: ends[0], WalletOptions(parsed)))
    let secrets = try WalletSecrets(keychain, for: .app, walletIsNew: true)
    return (secrets, keychain.earlier)
  }

  @Test func `A seed that another process has added meanwhile is used`() throws {
    let (kept, _) = try secrets(refusal("missing"), refusal("exists"), answer(seed))
    let same = try secrets(answer(seed)).0
    expect(kept.nodeKey.publicKey, is: same.nodeKey.publicKey)
  }

  @Test func `Without its phone a wallet has no seed, and says why`() {
    do {
      _ = try secrets(phoneIsGone: true)
      Issue.record("there are secrets")
    } catch {
      #expect("\(error)".hasPrefix("the wallet's seed cannot be read from the phone: "), "\(error)")
      #expect("\(error)".contains("Broken pipe"), "\(error)")
    }
  }

  @Test func `Messages that iosd sends while the app waits for the keychain are kept in order`() throws {
    let words = [ControlMessage("enter-foreground"), ControlMessage("network", ["there": "no"])]
    let (_, earlier) = try secrets(words[0], words[1], answer(seed))
    expect(earlier, is: words)
  }
}

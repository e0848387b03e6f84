@testable import DaemonRuntime
import Glibc
import Testing

@testable import WalletProcess

/// The phone is the other end of a socket pair; what it answers lies there before it is asked.
@Suite("A seed that moves into the phone's keychain")
struct PhoneKeychainTests {
  private let scratch: ScratchContainer
  private let old = [UInt8](repeating: 1, count: 32)
  private let another = [UInt8](repeating: 2, count: 32)

  init() throws {
    scratch = try ScratchContainer()
    let path = scratch.path("wallet-seed")
    #expect(try SecretFile(path: path, size: 32).keep(old) == old)
  }

  private var oldIsThere: Bool { access(scratch.path("wallet-seed"), F_OK) == 0 }

  private func answer(_ body: [UInt8] = []) -> ControlMessage {
    ControlMessage("keychain-answer", ["request": PhoneKeychain.account], body: body)
  }

  private func refusal(_ because: String) -> ControlMessage {
    ControlMessage(
      "keychain-refused", ["request": PhoneKeychain.account, "because": because, "message": "no"])
  }

  private func secrets(_ answers: ControlMessage...) throws -> (WalletSecrets, [ControlMessage]) {
    var ends: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    for message in answers {
      let packet = try message.encoded()
      #expect(send(ends[1], packet, packet.count, 0) == packet.count)
    }
    let declaration = CommandLineDeclaration(
      name: "test", summary: "", options: WalletOptions.declarations, examples: [])
    guard case .run(let parsed) = try declaration.parse(["--keychain-group", "g"]) else {
      throw SystemError("parse", code: EINVAL)
    }
    let keychain = try #require(PhoneKeychain(channel: ends[0], WalletOptions(parsed)))
    let secrets = try WalletSecrets(keychain, movingFrom: scratch.path(""), walletIsNew: false)
    return (secrets, keychain.earlier)
  }

  @Test("is the one of the file, which is removed when the phone has it") func moved() throws {
    let (moved, _) = try secrets(refusal("missing"), answer())
    #expect(!oldIsThere)
    let same = try secrets(answer(old)).0
    #expect(moved.nodeKey.publicKey == same.nodeKey.publicKey)
  }

  /// It may be the only copy of the seed that the wallet's money is with.
  @Test("stays in its file when the phone has come to have another one meanwhile") func anotherWasFirst()
    throws
  {
    let (kept, _) = try secrets(refusal("missing"), refusal("exists"), answer(another))
    #expect(oldIsThere)
    let same = try secrets(answer(another)).0
    #expect(kept.nodeKey.publicKey == same.nodeKey.publicKey)
    #expect(oldIsThere)
  }

  @Test("is waited for; what the phone says meanwhile is kept in its order") func meanwhile() throws {
    let words = [ControlMessage("enter-foreground"), ControlMessage("network", ["there": "no"])]
    let (_, earlier) = try secrets(words[0], words[1], answer(old))
    #expect(earlier == words)
    #expect(!oldIsThere)
  }
}

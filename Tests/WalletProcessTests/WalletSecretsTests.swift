import Crypto
import DaemonRuntime
import Lightning
import Wallet
import Testing

@testable import WalletProcess

@Suite("Backups sealed with the seed")
struct WalletSecretsTests {
  private let scratch: ScratchContainer
  private let secrets: WalletSecrets
  private let backup: NodeBackup

  init() throws {
    scratch = try ScratchContainer()
    secrets = try WalletSecrets(keychain: scratch.path("k"), walletIsNew: true)
    let channel = try Channel(id: SHA256.hash([1]), localMsat: 1, remoteMsat: 2, isOpener: false)
    backup = NodeBackup(
      channel: channel, invoices: [secrets.makeInvoice(amountMsat: 1000, text: "tea", expiresAt: 9)])
  }

  @Test func `A sealed backup is opened whole, with the secrets of its invoices`() {
    #expect(secrets.open(secrets.seal(backup.encoded())) == .backup(backup))
  }

  @Test func `A backup of another version is reported with both versions, not as damaged`() {
    var blob = secrets.seal(backup.encoded())
    blob[0] += 1
    #expect(secrets.open(blob) == .otherVersion(2, known: 1))
    var inside = backup.encoded()
    inside[0] -= 1
    #expect(secrets.open(secrets.seal(inside)) == .otherVersion(3, known: 4))
  }

  @Test func `A changed or truncated backup, or one of another seed, is unreadable`() throws {
    let blob = secrets.seal(backup.encoded())
    for place in [1, blob.count / 2, blob.count - 1] {
      var damaged = blob
      damaged[place] ^= 1
      #expect(secrets.open(damaged) == .unreadable)
    }
    for count in [0, 1, 29] { #expect(secrets.open(Array(blob.prefix(count))) == .unreadable) }
    let other = try WalletSecrets(keychain: scratch.path("other"), walletIsNew: true)
    #expect(other.open(blob) == .unreadable)
  }
}

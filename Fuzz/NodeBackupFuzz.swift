import Crypto
import Glibc

@testable import Wallet
@testable import WalletProcess

/// The sealed backup that the peer returns, and its opened content.
enum NodeBackupFuzz: FuzzTarget {
  static let name = "node-backup"
  static let longestInput = 4096

  static var seeds: [[UInt8]] {
    let invoices = ["", "Coffee"].map {
      Invoice(paymentHash: .zero, amountMsat: 1, text: $0, tweak: SampleMessages.preimage, expiresAt: 1)
    }
    return SampleMessages.channels.prefix(4).map { NodeBackup(channel: $0, invoices: invoices).encoded() }
  }

  /// A seed for this process, removed from the disk once it is read.
  nonisolated(unsafe) private static let secrets: WalletSecrets? = {
    var template = Array("/tmp/baton-fuzz-XXXXXX".utf8CString)
    guard let directory = template.withUnsafeMutableBufferPointer({ $0.baseAddress.flatMap { mkdtemp($0) } })
    else {
      return nil
    }
    let path = String(cString: directory)
    defer {
      unlink("\(path)/wallet-seed")
      rmdir(path)
    }
    return try? WalletSecrets(keychain: path, walletIsNew: true)
  }()

  static func feed(_ bytes: [UInt8]) {
    let blob = secrets?.open(bytes)
    if case .backup? = blob { promise(false, "a blob without our seal is opened") }
    guard case .backup(let backup) = NodeBackup.read(bytes) else { return }
    let sealed = secrets?.seal(backup.encoded()) ?? []
    guard case .backup(let again)? = secrets?.open(sealed) else {
      fatalError("a backup that was read is lost")
    }
    promise(again.channel == backup.channel, "a backup restores another channel")
    promise(
      again.invoices.map(\.paymentHash) == backup.invoices.suffix(200).map(\.paymentHash),
      "a backup restores other invoices")
  }
}

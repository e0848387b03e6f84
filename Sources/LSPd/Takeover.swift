import Ground
import LightningProvider

/// The takeover of wallets that no lspd of the database serves. Many at once would keep the beat waiting, and with it
/// this lspd's own wallets would be taken.
enum Takeover {
  static let longest = TimeSpan.seconds(1)

  /// Begins with no further wallet when that time is over: the rest follows after the next beat.
  static func serve(
    _ wallets: [WalletNumber], clock: () -> Instant, _ serve: (WalletNumber) throws -> Void
  ) throws {
    let start = clock()
    for wallet in wallets {
      if clock() - start > longest { return }
      // Another lspd may have been faster.
      do { try serve(wallet) } catch is WalletElsewhereError {}
    }
  }
}

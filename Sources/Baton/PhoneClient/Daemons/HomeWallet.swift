import DaemonRuntime
import Ground
import Guardrails

/// The wallet that a phone's home was last started with, in a file of iosd's: a later `baton up` keeps it. The wallet's
/// processes, its pushes and its texts belong together, so another one comes only by its name.
package enum HomeWallet {
  private static func path(_ phone: Phone) -> String { phone.os + "/wallet" }

  /// Nil for a home without one, such as a new one.
  package static func read(of phone: Phone) throws(CommandFailure) -> WalletProfile? {
    let path = path(phone)
    let bytes: [UInt8]?
    do throws(SystemError) {
      // As at the start: nothing is believed of a home that others can change.
      try OwnHome.check(phone.home)
      bytes = try SmallFile.readOwn(path, limit: 64)
    } catch { throw CommandFailure(.cannotCreate, error.description) }
    guard let bytes else { return nil }
    guard let wallet = WalletProfile(named: String(decoding: bytes, as: UTF8.self).filter { $0 != "\n" })
    else {
      throw CommandFailure(
        .badConfiguration, "\(path) names no wallet that this program knows; name the wallet with --wallet")
    }
    return wallet
  }

  /// For people; nil where it cannot be read, and in a home without one.
  package static func name(of phone: Phone) -> String? { (try? read(of: phone))?.name }

  static func write(_ wallet: WalletProfile, of phone: Phone) throws(CommandFailure) {
    do throws(SystemError) {
      try PlainFile.replace(path(phone), with: Array("\(wallet.name)\n".utf8))
    } catch { throw CommandFailure(.cannotCreate, error.description) }
  }
}

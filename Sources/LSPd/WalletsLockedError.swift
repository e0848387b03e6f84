/// Another lspd of the same database begins a wallet, and is frozen or slow.
struct WalletsLockedError: Error, CustomStringConvertible {
  var description: String {
    "another lspd of this database has been adding a wallet for 2 s, and no other is added meanwhile: try again in a few seconds"
  }
}

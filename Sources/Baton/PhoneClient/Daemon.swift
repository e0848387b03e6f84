/// The two daemons of a phone.
package enum Daemon: String, CaseIterable, Sendable {
  case lspd
  case iosd
}

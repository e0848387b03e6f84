/// The two processes that run all the time.
package enum Daemon: String, CaseIterable, Sendable {
  case lspd
  case iosd
}

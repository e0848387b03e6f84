/// The two processes that run all the time.
enum Daemon: String, CaseIterable, Sendable {
  case lspd
  case iosd
}

import Ground

/// The two daemons of a phone.
package enum Daemon: String, CaseIterable, Sendable {
  case lspd
  case iosd

  /// How long its end may take: iosd gives its processes five seconds, then kills them.
  static let endTimeout = TimeSpan.seconds(15)
}

import Ground

/// The process that asks for a keychain item or a container.
public enum KeychainAsker: Hashable, Sendable {
  case wallet(Role)
  /// A process that iosd has not started.
  case unknownProcess(pid: Int32)
}

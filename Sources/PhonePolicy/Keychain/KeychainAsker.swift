import Ground

/// Who asks for an item or a container.
public enum KeychainAsker: Hashable, Sendable {
  case wallet(Role)
  /// A process that the phone has not started.
  case stranger(pid: Int32)
}

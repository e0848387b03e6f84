/// How a process ended, as the kernel reports it.
public enum ProcessEnd: Hashable, Codable, Sendable {
  case exited(code: Int32)
  case signalled(Int32)

  /// Of a status of wait(2).
  public init(status: Int32) {
    let signal = status & 0x7f
    self = signal == 0 ? .exited(code: status >> 8 & 0xff) : .signalled(signal)
  }
}

/// One lock that some process holds, as the kernel lists it. It explains to people who holds what; nobody decides by it
/// who owns the node.
public struct KernelLock: Hashable, Sendable {
  /// `FLOCK`, `POSIX` or `OFDLCK`.
  public var kind: String
  public var isExclusive: Bool
  public var pid: Int32
  /// The file, as `stat` names it.
  public var device: UInt64
  public var inode: UInt64
  public var start: Int64
  /// The last byte; nil to the end of the file.
  public var end: Int64?

  public func isOn(device: UInt64, inode: UInt64) -> Bool { self.device == device && self.inode == inode }

  public func covers(_ byte: Int64) -> Bool { start <= byte && byte <= end ?? .max }
}

/// A file lock held by a process, as listed by the kernel. For display only: the node's ownership is never decided
/// by it.
public struct KernelLock: Hashable, Sendable {
  /// `FLOCK`, `POSIX` or `OFDLCK`.
  public var kind: String
  public var isExclusive: Bool
  public var pid: Int32
  /// The file, as in `stat`.
  public var device: UInt64
  public var inode: UInt64
  public var start: Int64
  /// The last byte; nil for the end of the file.
  public var end: Int64?

  public func isOn(device: UInt64, inode: UInt64) -> Bool { self.device == device && self.inode == inode }

  public func covers(_ byte: Int64) -> Bool { start <= byte && byte <= end ?? .max }
}

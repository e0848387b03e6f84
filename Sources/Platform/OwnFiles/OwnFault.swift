#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Why not only this user can change a file or directory.
public enum OwnFault: Hashable, Sendable {
  /// A link; its owner can redirect it.
  case link(owner: UInt32)
  case notADirectory
  case notAPlainFile
  case foreign(owner: UInt32, us: UInt32)
  case writableByOthers(mode: UInt32)
  /// A phone's directory is for its user alone.
  case openToOthers(mode: UInt32)
  /// The system call failed with this `errno`.
  case failed(Int32)

  /// The required file type.
  public enum Kind: Sendable {
    case directory
    case plainFile
  }

  /// The rule of all our programs: never rely on a file that other users own or may change. `mode` is `st_mode`,
  /// file type included.
  public static func find(mode: UInt32, owner: UInt32, mustBe kind: Kind) -> OwnFault? {
    switch mode & UInt32(S_IFMT) {
    case UInt32(S_IFLNK): return .link(owner: owner)
    case UInt32(S_IFDIR): if kind != .directory { return .notAPlainFile }
    case UInt32(S_IFREG): if kind != .plainFile { return .notADirectory }
    default: return kind == .directory ? .notADirectory : .notAPlainFile
    }
    guard owner == geteuid() else { return .foreign(owner: owner, us: geteuid()) }
    return mode & 0o022 == 0 ? nil : .writableByOthers(mode: mode & 0o7777)
  }

  /// The same for what is above a directory. Root may use another user's directories, as in a container that has a
  /// user's directory mounted.
  static func find(above mode: UInt32, owner: UInt32) -> OwnFault? {
    if owner == geteuid() || owner == 0 { return nil }
    if mode & UInt32(S_IFMT) == UInt32(S_IFLNK) { return .link(owner: owner) }
    return geteuid() == 0 || mode & UInt32(S_ISVTX) != 0 ? nil : .foreign(owner: owner, us: geteuid())
  }

  /// Checks the open file, not the file now at its path.
  public static func find(descriptor: Int32, mustBe kind: Kind) -> OwnFault? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return .failed(errno) }
    return find(mode: UInt32(status.st_mode), owner: UInt32(status.st_uid), mustBe: kind)
  }

  /// The cause and what to do, continuing "cannot use PATH: "; nil for a failed system call.
  public var sentence: String? {
    switch self {
    case .link(let owner):
      "it is a symbolic link of the user \(owner), who can redirect it; use its target path"
    case .notADirectory: "it is not a directory; move it away, or use another path"
    case .notAPlainFile: "it is not a plain file; move it away"
    case .foreign(let owner, let us):
      "it belongs to the user \(owner), and this is the user \(us); use a path of your own, or run as its owner"
    case .writableByOthers(let mode):
      "others may write to it (mode \(String(mode, radix: 8))); check that its contents are yours, then run chmod go-w"
    case .openToOthers(let mode):
      "others may enter it (mode \(String(mode, radix: 8))); check that its contents are yours, then run chmod 700"
    case .failed: nil
    }
  }
}

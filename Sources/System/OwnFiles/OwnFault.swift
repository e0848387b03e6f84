#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Why a file or directory is not this user's alone to change.
public enum OwnFault: Hashable, Sendable {
  /// Of the user who made the link, who is free to point it elsewhere.
  case link(owner: UInt32)
  case notADirectory
  case notAPlainFile
  case foreign(owner: UInt32, us: UInt32)
  case writableByOthers(mode: UInt32)
  /// The call did not work at all: its `errno`.
  case failed(Int32)

  /// What it must be.
  public enum Kind: Sendable {
    case directory
    case plainFile
  }

  /// The one rule, for all of our programs: what others own, or may change, decides nothing for us. `mode` as `stat` has
  /// it, with the type of the file.
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

  /// Of what was opened, and not of what lies at its path by now.
  public static func find(descriptor: Int32, mustBe kind: Kind) -> OwnFault? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return .failed(errno) }
    return find(mode: UInt32(status.st_mode), owner: UInt32(status.st_uid), mustBe: kind)
  }

  /// What is so, and what to do, as it continues "cannot use PATH: "; nil for a call that failed.
  public var sentence: String? {
    switch self {
    case .link(let owner):
      "it is a symbolic link of the user \(owner), which can be pointed elsewhere; name the place that it leads to"
    case .notADirectory: "it is not a directory; move it away, or name another place"
    case .notAPlainFile: "it is not a plain file; move it away"
    case .foreign(let owner, let us):
      "it belongs to the user \(owner), and this is the user \(us); name a place of your own, or run as its owner"
    case .writableByOthers(let mode):
      "others may write to it (mode \(String(mode, radix: 8))); see that all in it is yours, then take that right away with chmod go-w"
    case .failed: nil
    }
  }
}

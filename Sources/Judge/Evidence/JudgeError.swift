/// Why there is no verdict: always exit code 74, never a pass.
public enum JudgeError: Error, Hashable, Sendable {
  /// A part of the evidence is missing.
  case missing(part: String, path: String)
  /// The wallet's database has no table, and the peer has no frame.
  case neverBegun(path: String)
  case unreadable(path: String, reason: String)
  /// A database with damaged pages, or no database at all.
  case damaged(path: String, reason: String)
  /// Far larger than the file of any run.
  case tooLarge(path: String, bytes: Int64)
  /// Larger than the room for a copy.
  case noRoom(path: String, bytes: Int64, directory: String, free: Int64)
  /// No directory for copies can be made there.
  case noPlace(directory: String, reason: String)
  /// Readable, but not a file of this project.
  case foreign(path: String, reason: String)
  /// Named with `--other`, but the peer knows no move between the two containers.
  case noOtherContainer(path: String)
  /// The peer of another home has no wallet with the phone's node id.
  case noWallet(path: String)
  /// The wallet's database changed during every attempt to read both databases as of one moment.
  case unstable(home: String)
}

extension JudgeError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .missing(let part, let path):
      "there is no \(part) at \(path): name the directory of a phone that has run"
    case .neverBegun(let path):
      "no wallet was created yet: \(path) is empty, so there is nothing to judge; make room on its disk, open the app, then judge again"
    case .unreadable(let path, let reason):
      "\(path) cannot be read (\(reason)): check its rights and its disk, then judge again"
    case .damaged(let path, let reason):
      "\(path) is damaged (\(reason)): judge a copy from before the damage; `baton doctor` says how the phone can go on"
    case .tooLarge(let path, let bytes):
      "\(path) has \(Self.size(bytes)), and the judge copies no file above \(Self.size(Scratch.sizeLimit)): see what made it so large, or put the wallet's file in its place"
    case .noRoom(let path, let bytes, let directory, let free):
      "\(path) with its log has \(Self.size(bytes)), and there is room for \(Self.size(free)) in \(directory): make room, or name another directory in TMPDIR, then judge again"
    case .noPlace(let directory, let reason):
      "no directory for copies can be made in \(directory) (\(reason)): name another one in TMPDIR, then judge again"
    case .foreign(let path, let reason):
      "\(path) is not as this version of Baton writes it (\(reason)): judge it with the version that wrote it"
    case .noOtherContainer(let path):
      "\(path) is no container that this wallet moved from or to: name one that it did, or leave --other out"
    case .noWallet(let path):
      "\(path) has no wallet of this phone's node id: name the phone whose lspd serves it, and the directory with this phone's keychain"
    case .unstable(let home):
      "the phone in \(home) kept changing its databases while they were read: stop the phone, then judge again"
    }
  }

  private static func size(_ bytes: Int64) -> String {
    for (unit, name) in [(Int64(1) << 30, "GB"), (1 << 20, "MB")] where bytes >= unit {
      let tenths = bytes / (unit / 10)
      return tenths % 10 == 0 ? "\(tenths / 10) \(name)" : "\(tenths / 10).\(tenths % 10) \(name)"
    }
    return "\(bytes) bytes"
  }
}

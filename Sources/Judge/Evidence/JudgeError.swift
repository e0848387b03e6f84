/// Why there can be no verdict. Each of them is exit code 74, never a pass.
public enum JudgeError: Error, Hashable, Sendable {
  /// A part of the evidence is not there.
  case missing(part: String, path: String)
  /// There is a database without a table, and nobody has ever been at the peer.
  case neverBegun(path: String)
  /// It is there and cannot be read.
  case unreadable(path: String, reason: String)
  /// It is far larger than any run makes it, or than the room there is for a copy.
  case tooLarge(path: String, bytes: Int64)
  case noRoom(path: String, bytes: Int64, directory: String, free: Int64)
  /// No directory for copies can be made there.
  case noPlace(directory: String, reason: String)
  /// It can be read and is not what it should be.
  case foreign(path: String, reason: String)
  /// One that was named as another container of this wallet, and the peer knows no move between the two.
  case noOtherContainer(path: String)
  /// The wallet's database changed during every attempt to look at both databases at one moment.
  case restless(home: String)
}

extension JudgeError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .missing(let part, let path):
      "there is no \(part) at \(path): name the home directory of a phone that has run"
    case .neverBegun(let path):
      "the wallet never began: \(path) is empty, and there is nothing to judge; see that its disk has room, open the app, then judge again"
    case .unreadable(let path, let reason):
      "\(path) cannot be read (\(reason)): check its rights and its disk, then judge again"
    case .tooLarge(let path, let bytes):
      "\(path) has \(Self.size(bytes)), and the judge copies no file above \(Self.size(Scratch.sizeLimit)): see what made it so large, or give it the file of a wallet"
    case .noRoom(let path, let bytes, let directory, let free):
      "\(path) with its log has \(Self.size(bytes)), and there is room for \(Self.size(free)) in \(directory): make room, or name another directory in TMPDIR, then judge again"
    case .noPlace(let directory, let reason):
      "no directory for copies can be made in \(directory) (\(reason)): name another one in TMPDIR, then judge again"
    case .foreign(let path, let reason):
      "\(path) is not what a run leaves behind (\(reason)): judge with the version that ran it"
    case .noOtherContainer(let path):
      "\(path) is no container that this wallet moved from or to: name one that it did, or leave --other out"
    case .restless(let home):
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

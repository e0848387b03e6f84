import Glibc

/// A call of the operating system that failed, in one sentence.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was tried, as it continues "cannot …".
  public var what: String
  public var code: Int32

  /// Takes the code from `errno`: make it the first thing after the call.
  public init(_ what: String, code: Int32 = errno) {
    self.what = what
    self.code = code
  }

  public var description: String { "cannot \(what.onOneLine): \(Self.words(of: code))\(advice)" }

  public static func words(of code: Int32) -> String {
    switch code {
    case ENOENT: "there is no such file or directory"
    case EACCES, EPERM: "permission denied"
    case ENOSPC: "the disk is full"
    case EDQUOT: "the disk quota is used up"
    case EROFS: "the file system is read-only"
    case EMFILE, ENFILE: "too many files are open"
    case EISDIR: "it is a directory"
    case ESPIPE: "it is not a plain file"
    case ELOOP: "it is a symbolic link"
    case EADDRINUSE: "the address is in use"
    case ECONNREFUSED: "nobody listens there"
    case ENOTDIR: "a part of the path is not a directory"
    default: strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
  }

  private var advice: String {
    switch code {
    case EACCES, EPERM: "; run as the owner of the path, or give that user rights to it"
    case ENOSPC, EDQUOT: "; free some space and try again"
    case EROFS: "; choose a directory that can be written"
    case EMFILE, ENFILE: "; raise the limit with `ulimit -n`"
    case EISDIR, ESPIPE: "; a plain file is needed here"
    case ELOOP: "; put what it leads to in its place"
    case EIO: "; check its disk"
    case ENOTDIR, ENOENT: "; check the path"
    default: ""
    }
  }
}

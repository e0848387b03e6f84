import Glibc
import Platform

/// A failed system call, in one sentence.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The attempted action, continuing "cannot …".
  public var what: String
  public var code: Int32
  /// The cause and what to do, where the code's own text would not tell.
  public var because: String?

  /// Takes the code from `errno`: make it the first thing after the call.
  public init(_ what: String, code: Int32 = errno, because: String? = nil) {
    self.what = what
    self.code = code
    self.because = because
  }

  /// A file or directory that other users can change.
  public init(_ error: OwnError) {
    guard let sentence = error.fault.sentence else {
      self.init("open \(error.path)", error.fault)
      return
    }
    self.init("use \(error.path)", code: EPERM, because: sentence)
  }

  public init(_ what: String, _ fault: OwnFault) {
    switch fault {
    case .failed(let code): self.init(what, code: code)
    case .notAPlainFile: self.init(what, code: ESPIPE)
    case .link: self.init(what, code: ELOOP)
    default: self.init(what, code: EPERM, because: fault.sentence ?? Self.words(of: EPERM))
    }
  }

  public var description: String { because == nil ? fact + advice : fact }

  /// The error without its advice, for callers that give another one.
  public var fact: String { "cannot \(what.onOneLine): \(because?.onOneLine ?? Self.words(of: code))" }

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
    case ECONNREFUSED: "no program listens there"
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
    case ELOOP: "; replace it by its target"
    case EIO: "; check its disk"
    case ENOTDIR, ENOENT: "; check the path"
    default: ""
    }
  }
}

import Glibc
import Platform

/// The directories of one phone. All our programs check its home before use: a home prepared by another user would
/// contain a seed that this user knows. Nobody else reaches what is in a home of mode 0700, so no file in it is checked.
/// A copy to look at may be readable by others.
public enum OwnHome {
  public static let container = "AppGroup"

  /// Throws if the home is a link, or another user owns or may change it. A missing one is fine.
  public static func check(_ home: String) throws(SystemError) {
    do throws(OwnError) { _ = try OwnDirectory.open(home) } catch {
      if error.fault != .failed(ENOENT) { throw SystemError(error) }
    }
  }

  /// For a program that runs in it: creates the home, for this user alone, and the missing ones of these directories.
  public static func make(_ home: String, _ parts: [String]) throws(SystemError) {
    do throws(OwnError) {
      try checkPrivate(try OwnDirectory.make(home))
      for part in parts { _ = try OwnDirectory.make("\(home)/\(part)") }
    } catch { throw Self.sentence(of: error) }
  }

  private static func checkPrivate(_ home: OwnDirectory) throws(OwnError) {
    var status = stat()
    guard fstat(home.descriptor, &status) == 0 else { throw OwnError(path: home.path, fault: .failed(errno)) }
    if status.st_mode & 0o077 != 0 {
      throw OwnError(path: home.path, fault: .openToOthers(mode: UInt32(status.st_mode & 0o7777)))
    }
  }

  /// One directory only, for a program that gets each path as an option.
  @discardableResult public static func makeDirectory(_ path: String) throws(SystemError) -> OwnDirectory {
    do throws(OwnError) { return try OwnDirectory.make(path) } catch { throw sentence(of: error) }
  }

  /// An existing directory.
  public static func openDirectory(_ path: String) throws(SystemError) -> OwnDirectory {
    do throws(OwnError) { return try OwnDirectory.open(path) } catch { throw SystemError(error) }
  }

  private static func sentence(of error: OwnError) -> SystemError {
    if case .failed(let code) = error.fault { return SystemError("create \(error.path)", code: code) }
    return SystemError(error)
  }
}

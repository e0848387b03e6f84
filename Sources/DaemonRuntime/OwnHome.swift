import Glibc
import OwnFiles

/// The directories of one phone. All our programs check them here before use: a home prepared by another user would
/// contain a seed that this user knows.
public enum OwnHome {
  /// The directories that `baton` uses; the container has its own, stricter rules.
  public static let system = ["os", "lsp", "journal", "Keychain", "Keychain/items"]
  public static let container = "AppGroup"

  /// Throws if the home or a part of it is a link, belongs to another user, or is open to others. Missing parts are
  /// fine.
  public static func check(_ home: String, _ parts: [String] = system) throws(SystemError) {
    guard let directory = try ifThere({ () throws(OwnError) in try OwnDirectory.open(home) }) else { return }
    for part in parts {
      var place: OwnDirectory? = directory
      for name in part.split(separator: "/") {
        guard let parent = place else { break }
        place = try ifThere { () throws(OwnError) in try parent.open(String(name)) }
      }
    }
  }

  /// Creates the missing directories, and checks all of them.
  public static func make(_ home: String, _ parts: [String]) throws(SystemError) {
    do throws(OwnError) {
      let directory = try OwnDirectory.make(home)
      for part in parts {
        var place = directory
        for name in part.split(separator: "/") { place = try place.make(String(name)) }
      }
    } catch { throw Self.sentence(of: error) }
  }

  /// One directory only, for a program that gets each path as an option.
  @discardableResult
  public static func makeDirectory(_ path: String) throws(SystemError) -> OwnDirectory {
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

  private static func ifThere(_ open: () throws(OwnError) -> OwnDirectory) throws(SystemError)
    -> OwnDirectory?
  {
    do throws(OwnError) {
      return try open()
    } catch {
      if error.fault == .failed(ENOENT) { return nil }
      throw SystemError(error)
    }
  }
}

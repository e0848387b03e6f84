import Glibc
import OwnFiles

/// The directories that make one phone. All of our programs look at them here before they use anything in them: in a home
/// that somebody else prepared lies the seed that he knows.
public enum OwnHome {
  /// What `baton` reads and asks; a container has its own rules, which say more.
  public static let system = ["os", "lsp", "journal", "Keychain", "Keychain/items"]
  public static let container = "AppGroup"

  /// Throws for the home, or a part of it, that is a link, another user's, or open to others. What is not there is fine.
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

  /// Makes what is missing, and looks at all of it.
  public static func make(_ home: String, _ parts: [String]) throws(SystemError) {
    do throws(OwnError) {
      let directory = try OwnDirectory.make(home)
      for part in parts {
        var place = directory
        for name in part.split(separator: "/") { place = try place.make(String(name)) }
      }
    } catch { throw Self.sentence(of: error) }
  }

  /// One directory alone, for a program that is told of each.
  @discardableResult
  public static func makeDirectory(_ path: String) throws(SystemError) -> OwnDirectory {
    do throws(OwnError) { return try OwnDirectory.make(path) } catch { throw sentence(of: error) }
  }

  /// One that is there.
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

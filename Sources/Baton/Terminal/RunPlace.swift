import DaemonRuntime

/// The home of a verb's own phone.
package enum RunPlace {
  /// The named directory, which must be new or empty, else a temporary one. `root` is the named directory if it gets
  /// several homes.
  package static func make(
    _ kept: String?, below root: String? = nil, in place: ScratchPlace?, named name: String
  ) throws(CommandFailure) -> String {
    guard let kept else {
      guard let place else { throw CommandFailure(.bugOfOurs, "\(name) has no temporary directory") }
      do throws(SystemError) {
        return try place.makeHome()
      } catch { throw CommandFailure(.cannotCreate, error.description) }
    }
    // Another user's directory is refused: its owner could change all files in it.
    do throws(SystemError) { try OwnHome.check(kept) } catch {
      throw CommandFailure(.cannotCreate, error.description)
    }
    try checkParent(of: root ?? kept)
    guard (DirectoryListing.names(of: kept) ?? []).isEmpty else {
      throw CommandFailure(
        .cannotCreate, "\(kept) is not empty, but \(name) needs a new directory; name another one")
    }
    return kept
  }

  /// The directory may be new, but its parent must exist: a missing one is probably mistyped.
  private static func checkParent(of kept: String) throws(CommandFailure) {
    let parent = FilePath.parent(of: Phone(home: kept).home)
    guard !FilePath.isDirectory(parent) else { return }
    throw CommandFailure(
      .cannotCreate,
      "the directory \(parent) for \(kept) does not exist; create it, or name another place")
  }
}

import PhoneClient
import DaemonRuntime
import Foundation

/// Where a verb that plays on a phone of its own has it.
package enum RunPlace {
  /// The directory that is named, which must be new or empty; else one that does not stay. With several, each has its own below the one
  /// that was named.
  package static func make(
    _ kept: String?, below root: String? = nil, in place: ScratchPlace?, named name: String
  ) throws(CommandFailure) -> String {
    guard let kept else {
      guard let place else { throw CommandFailure(.bugOfOurs, "\(name) has no place for its phone") }
      do throws(SystemError) {
        return try place.makeHome()
      } catch { throw CommandFailure(.cannotCreate, error.description) }
    }
    // Who made the directory for us could change all that comes into it.
    do throws(SystemError) { try OwnHome.check(kept, []) } catch {
      throw CommandFailure(.cannotCreate, error.description)
    }
    try checkParent(of: root ?? kept)
    let contents = (try? FileManager.default.contentsOfDirectory(atPath: kept)) ?? []
    guard contents.isEmpty else {
      throw CommandFailure(
        .cannotCreate, "\(kept) is not empty, and \(name) plays on a fresh phone; name a new directory")
    }
    return kept
  }

  /// The directory itself may be new; a way to it that is not there is most likely mistyped.
  private static func checkParent(of kept: String) throws(CommandFailure) {
    let parent = FilePath.parent(of: Phone(home: kept).home)
    guard !FilePath.isDirectory(parent) else { return }
    throw CommandFailure(
      .cannotCreate,
      "there is no directory \(parent) to make \(kept) in; make it first, or name another place")
  }
}

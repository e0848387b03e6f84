import Glibc
import Testing

@testable import OwnFiles

/// The road to a directory of ours where nothing above it can be opened, as in a sandbox; it must refuse what the other
/// one refuses.
@Suite struct OwnDirectoryTests {
  private static let roads: [@Sendable (String, Bool) throws(OwnError) -> OwnDirectory] = [
    { (path, making) throws(OwnError) in try OwnDirectory.reachAtOnce(path, making: making) },
    { (path, making) throws(OwnError) in
      try making ? OwnDirectory.make(path) : OwnDirectory.open(path)
    },
  ]

  private func fault(_ body: () throws(OwnError) -> OwnDirectory) -> OwnFault? {
    do throws(OwnError) {
      _ = try body()
      return nil
    } catch { return error.fault }
  }

  @Test(arguments: roads.indices)
  func aDirectoryIsMadeOnceAndFoundAfterwards(_ road: Int) throws {
    let place = Place()
    let reach = Self.roads[road]
    #expect(fault { () throws(OwnError) in try reach(place.path + "/new", false) } == .failed(ENOENT))
    #expect(try reach(place.path + "/new", true).isNew)
    #expect(try !reach(place.path + "/new", true).isNew)
    let directory = try reach(place.path + "/new", false)
    #expect(try directory.make("in").isNew)
    #expect(fault { () throws(OwnError) in try reach(place.path + "/no/deeper", true) } == .failed(ENOENT))
  }

  @Test(arguments: roads.indices)
  func whatIsNotOursAloneIsRefused(_ road: Int) throws {
    let place = Place()
    let reach = Self.roads[road]
    place.write("file")
    symlink(place.path, place.path + "/link")
    mkdir(place.path + "/open", 0o700)
    chmod(place.path + "/open", 0o777)
    for making in [true, false] {
      #expect(fault { () throws(OwnError) in try reach(place.path + "/file", making) } == .notADirectory)
      #expect(
        fault { () throws(OwnError) in try reach(place.path + "/link", making) } == .link(owner: geteuid()))
      #expect(
        fault { () throws(OwnError) in try reach(place.path + "/open", making) }
          == .writableByOthers(mode: 0o777))
    }
  }
}

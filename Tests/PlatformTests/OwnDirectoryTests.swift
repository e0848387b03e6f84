import Glibc
import Testing

@testable import OwnFiles

/// Two ways to a directory of ours: opening each parent, and directly where no parent can be opened, as in a sandbox.
/// Both must refuse the same.
@Suite struct OwnDirectoryTests {
  enum Way: CaseIterable, Sendable {
    case byParents, directly

    func reach(_ path: String, making: Bool) throws -> OwnDirectory {
      switch self {
      case .directly: try OwnDirectory.reachAtOnce(path, making: making)
      case .byParents: try making ? OwnDirectory.make(path) : OwnDirectory.open(path)
      }
    }

    /// Why the directory is refused; nil if it is not.
    func fault(_ path: String, making: Bool) -> OwnFault? {
      do {
        _ = try reach(path, making: making)
        return nil
      } catch { return (error as? OwnError)?.fault ?? .failed(0) }
    }
  }

  @Test(arguments: Way.allCases)
  func `A directory is created once and found afterwards`(_ way: Way) throws {
    let place = Place()
    let path = place.path + "/new"
    #expect(way.fault(path, making: false) == .failed(ENOENT))
    #expect(try way.reach(path, making: true).isNew)
    #expect(try !way.reach(path, making: true).isNew)
    let directory = try way.reach(path, making: false)
    #expect(try directory.make("in").isNew)
    #expect(way.fault(place.path + "/none/deeper", making: true) == .failed(ENOENT))
  }

  @Test(arguments: Way.allCases, [true, false])
  func `A file, a link, and a directory that others can write are refused as a directory`(
    _ way: Way, making: Bool
  ) throws {
    let place = Place()
    place.write("file")
    symlink(place.path, place.path + "/link")
    mkdir(place.path + "/open", 0o700)
    chmod(place.path + "/open", 0o777)
    #expect(way.fault(place.path + "/file", making: making) == .notADirectory)
    #expect(way.fault(place.path + "/link", making: making) == .link(owner: geteuid()))
    #expect(way.fault(place.path + "/open", making: making) == .writableByOthers(mode: 0o777))
  }
}

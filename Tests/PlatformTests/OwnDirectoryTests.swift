import Glibc
import Testing

@testable import OwnFiles

/// The road to a directory of ours where nothing above it can be opened, as in a sandbox; it must refuse what the other
/// one refuses.
@Suite struct OwnDirectoryTests {
  enum Road: CaseIterable, Sendable {
    case onTheWay, atOnce

    func reach(_ path: String, making: Bool) throws -> OwnDirectory {
      switch self {
      case .atOnce: try OwnDirectory.reachAtOnce(path, making: making)
      case .onTheWay: try making ? OwnDirectory.make(path) : OwnDirectory.open(path)
      }
    }

    /// Why it is not reached; nil when it is.
    func fault(_ path: String, making: Bool) -> OwnFault? {
      do {
        _ = try reach(path, making: making)
        return nil
      } catch { return (error as? OwnError)?.fault ?? .failed(0) }
    }
  }

  @Test(arguments: Road.allCases)
  func aDirectoryIsMadeOnceAndFoundAfterwards(_ road: Road) throws {
    let place = Place()
    let path = place.path + "/new"
    #expect(road.fault(path, making: false) == .failed(ENOENT))
    #expect(try road.reach(path, making: true).isNew)
    #expect(try !road.reach(path, making: true).isNew)
    let directory = try road.reach(path, making: false)
    #expect(try directory.make("in").isNew)
    #expect(road.fault(place.path + "/none/deeper", making: true) == .failed(ENOENT))
  }

  @Test(arguments: Road.allCases, [true, false])
  func whatIsNotOursAloneIsRefused(_ road: Road, making: Bool) throws {
    let place = Place()
    place.write("file")
    symlink(place.path, place.path + "/link")
    mkdir(place.path + "/open", 0o700)
    chmod(place.path + "/open", 0o777)
    #expect(road.fault(place.path + "/file", making: making) == .notADirectory)
    #expect(road.fault(place.path + "/link", making: making) == .link(owner: geteuid()))
    #expect(road.fault(place.path + "/open", making: making) == .writableByOthers(mode: 0o777))
  }
}

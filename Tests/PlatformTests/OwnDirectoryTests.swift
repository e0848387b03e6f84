import Glibc
import TestKit

@testable import Platform

@Suite struct OwnDirectoryTests {
  /// Why the directory is refused; nil if it is not.
  private func fault(_ path: String, making: Bool) -> OwnFault? {
    do throws(OwnError) {
      _ = try making ? OwnDirectory.make(path) : OwnDirectory.open(path)
      return nil
    } catch { return error.fault }
  }

  @Test func `A directory is created once and found afterwards`() throws {
    let place = TemporaryDirectory()
    let path = place.path + "/new"
    expect(fault(path, making: false), is: .failed(ENOENT))
    #expect(try OwnDirectory.make(path).isNew)
    #expect(try !OwnDirectory.make(path).isNew)
    #expect(fault(path, making: false) == nil)
    expect(fault(place.path + "/none/deeper", making: true), is: .failed(ENOENT))
  }

  @Test(arguments: [true, false])
  func `A file, a link, and a directory that others can write are refused as a directory`(making: Bool) {
    let place = TemporaryDirectory()
    place.write("file")
    symlink(place.path, place.path + "/link")
    mkdir(place.path + "/open", 0o700)
    chmod(place.path + "/open", 0o777)
    expect(fault(place.path + "/file", making: making), is: .notADirectory)
    for end in ["", "/", "/."] {
      expect(fault(place.path + "/link" + end, making: making), is: .link(owner: geteuid()))
    }
    expect(fault(place.path + "/open", making: making), is: .writableByOthers(mode: 0o777))
  }

  @Test func `What is above a directory is this user's or root's, or sticky`() {
    let (us, other) = (geteuid(), UInt32(65534))
    let (link, directory) = (UInt32(S_IFLNK) | 0o777, UInt32(S_IFDIR) | 0o755)
    for owner in [us, 0] {
      #expect(OwnFault.find(above: link, owner: owner) == nil)
      #expect(OwnFault.find(above: directory, owner: owner) == nil)
    }
    expect(OwnFault.find(above: link, owner: other), is: .link(owner: other))
    #expect(OwnFault.find(above: directory | UInt32(S_ISVTX), owner: other) == nil)
    expect(
      OwnFault.find(above: directory, owner: other), is: (us == 0 ? nil : .foreign(owner: other, us: us)))
  }
}

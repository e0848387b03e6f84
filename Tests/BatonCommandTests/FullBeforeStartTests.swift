import Foundation
import Glibc
import Testing

@testable import PhoneClient

@Suite("A storage that is full before the wallet has begun") struct FullBeforeStartTests {
  private let phone = CommandPhone()

  @Test(
    "is told by app open, status and the judge, and the wallet begins when there is room",
    .enabled(if: HomeTests.canMount, "mounting a small disk needs root"))
  func full() throws {
    let group = phone.phone.container
    try FilePath.makeDirectories(group)
    try #require(mount("tmpfs", group, "tmpfs", 0, "size=4m,mode=700") == 0)
    defer {
      _ = try? phone.run("down")
      umount2(group, Int32(MNT_DETACH))
    }
    _ = try phone.run("up")
    #expect(try phone.run("device", "storage", "full").hasPrefix("the storage is full: "))

    let opened = try phone.run("app", "open")
    #expect(opened.hasPrefix("baton: the app ended right after its start (process "), "\(opened)")
    #expect(
      opened.hasSuffix("the disk that holds \(group)/node.sqlite is full; make room and try again\n"),
      "\(opened)")
    let empty = "\(group)/node.sqlite is empty"
    #expect(
      try phone.run("status").contains(
        "\(empty), and the wallet has never begun; see that its disk has room, then open the app\n"))
    #expect(
      try phone.run("judge") == """
        baton: the wallet never began: \(empty), and there is nothing to judge; see that its disk has room, open the app, \
        then judge again

        """)

    _ = try phone.run("device", "storage", "free")
    try phone.openAndConnect()
    #expect(try phone.run("judge").contains("Verdict: sound"))
  }
}

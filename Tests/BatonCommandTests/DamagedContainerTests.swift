import CoreShape
import DaemonRuntime
import Database
import Foundation
import Glibc
import Guardrails
import SharedContainer
import Testing
import WalletStore

@testable import BatonCommand

@Suite("Inspecting a damaged container")
struct DamagedContainerTests {
  private let scratch = Scratch()
  private var directory: String { scratch("AppGroup") }

  private func make() throws {
    _ = try SharedContainer.open(directory, role: .app, nodeSchema: WalletSchema.migrations)
  }

  private func problems() throws -> [String] {
    try ContainerReport(of: directory, clock: Clock()).problems.map {
      $0.replacingOccurrences(of: directory, with: "DIR")
    }
  }

  @Test("says what would keep a process from opening it") func obstacles() throws {
    try make()
    #expect(try problems() == [])
    chmod(directory, 0o777)
    #expect(
      try problems() == ["DIR can be written by others (mode 777); take that right away with chmod go-w"])
    chmod(directory, 0o700)
    unlink("\(directory)/locks/app.lock")
    symlink("elsewhere", "\(directory)/locks/app.lock")
    mkfifo("\(directory)/heartbeat", 0o600)
    #expect(
      try problems() == [
        "DIR/locks/app.lock is a symbolic link, which could be pointed elsewhere under running processes; put what it leads to in its place",
        "DIR/heartbeat cannot be used, as it is not a plain file; stop both processes and move it away, or put back the file it was",
      ])
  }

  @Test("says that its schema is of a newer program") func future() throws {
    try make()
    try Connection(path: "\(directory)/node.sqlite", access: .readWrite).execute("PRAGMA user_version = 99")
    #expect(
      try problems() == [
        "the schema 99 is of a newer program, which alone can open it: update this one"
      ])
  }

  @Test("names pages that make no sense") func damagedPages() throws {
    try make()
    let path = "\(directory)/node.sqlite"
    let page: Int64
    do {
      let raw = try Connection(path: path, access: .readWrite)
      for number in 0..<200 {
        try raw.execute(
          "INSERT INTO node_writes (epoch, incarnation, what, at_mono_ns) VALUES (1, 1, ?, 0)",
          [.text(String(repeating: "\(number)", count: 100))])
      }
      let root = try raw.firstRow("SELECT rootpage FROM sqlite_schema WHERE name = 'node_writes'")
      page = try #require(try root?.integer(0))
    }
    let descriptor = open(path, O_WRONLY)
    let noise = [UInt8](repeating: 0x5A, count: 4000)
    pwrite(descriptor, noise, noise.count, off_t((page - 1) * 4096))
    close(descriptor)
    do {
      let found = try problems()
      #expect(
        found.contains {
          $0.hasPrefix("DIR/node.sqlite is damaged (") && $0.hasSuffix("put back a good copy of it")
        })
    } catch let error as ContainerError {
      #expect(error.description.contains("is damaged ("))
    }
  }

  @Test("that lost its database says what tells of it") func lostDatabase() throws {
    try make()
    let path = "\(directory)/node.sqlite"
    try FileManager.default.removeItem(atPath: path)
    _ = FileManager.default.createFile(atPath: "\(path)-wal", contents: Data([1, 2, 3]))
    #expect(
      throws: ContainerError.databaseLost(path: path, because: "as its log is there without it")
    ) { try problems() }
  }
}

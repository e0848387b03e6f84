import DaemonRuntime
import Foundation
import Glibc
import Testing
import WaitingTests

@testable import Baton

/// Files that a user names, of every verb that writes one.
@Suite("A file that a verb writes", .waits) struct UserFileTests {
  private let scratch = Scratch()

  /// The command line ends with the file.
  enum Writer: String, CaseIterable {
    case timeline = "timeline --seed 1 --length 1s --out"
    case svg = "timeline --seed 1 --length 1s --svg --out"
    case trace = "timeline --seed 1 --length 1s --trace --out"
    case merge = "sim --merge part --results"
    case report = "sim --merge part --report"
    case results = "sim --seeds 1 --length 1s --results"
    case simulated = "sim --seeds 1 --length 1s --junit"
    case explored = "explore --states 50 --junit"
    case played = "run --simulated good.txt --junit"
    case updated = "run --simulated --update"
    case judged = "judge none --junit"
    case picture = "ablation --rules compare-and-set --seeds 1 --picture"
  }

  enum Obstacle: CaseIterable { case device, pipe, link, lostLink, directory }

  private static let story =
    "# x\nthe app opens\nwho holds the node?\n  > nobody\nthe verdict\n  > sound: 0 of 0 payments settled\n"

  private func run(_ writer: Writer, to file: String) throws -> ChildEnd.How? {
    scratch.write("good.txt", Self.story)
    if FilePath.size(of: scratch("part")) == 0 {
      let words = ["sim", "--seeds", "2", "--length", "1s", "--results", scratch("part")]
      try #require(scratch.end(try scratch.start("baton", words)) == .exited(code: 0))
    }
    let names: Set = ["part", "good.txt", "none"]
    let words = writer.rawValue.split(separator: " ").map {
      names.contains("\($0)") ? scratch("\($0)") : "\($0)"
    }
    return scratch.end(try scratch.start("baton", words + [scratch(file)]))
  }

  private func facts(_ name: String) -> stat {
    var facts = stat()
    lstat(scratch(name), &facts)
    return facts
  }

  @Test(arguments: Writer.allCases)
  func `A verb never writes to a device, a pipe, a link or a directory, and keeps the rights of a file`(
    _ writer: Writer
  ) throws {
    scratch.write("target", Self.story)
    for obstacle in Obstacle.allCases {
      switch obstacle {
      // Of the machine's null device, made here; only root can.
      case .device where mknod(scratch("file"), S_IFCHR | 0o666, 1 << 8 | 3) != 0: continue
      case .device: break
      case .pipe: try #require(mkfifo(scratch("file"), 0o600) == 0)
      case .link: try #require(symlink(scratch("target"), scratch("file")) == 0)
      case .lostLink: try #require(symlink(scratch("nowhere"), scratch("file")) == 0)
      case .directory: try #require(mkdir(scratch("file"), 0o700) == 0)
      }
      let before = facts("file")
      let how = try run(writer, to: "file")
      #expect(how != .exited(code: 0), "\(obstacle): \(scratch.text("said"))")
      #expect(scratch.text("said").contains(scratch("file")), "\(obstacle): \(scratch.text("said"))")
      let after = facts("file")
      #expect(after.st_ino == before.st_ino && after.st_mode == before.st_mode, "\(obstacle)")
      #expect(scratch.text("target") == Self.story && !FilePath.exists(scratch("nowhere")), "\(obstacle)")
      try FileManager.default.removeItem(atPath: scratch("file"))
    }
    // The picture takes minutes of processor time, and the obstacles are seen before.
    guard writer != .picture else { return }
    // The owner stays too, but not of a page, which has lines of journals; only root can give a file away.
    let isPage = [.timeline, .svg, .trace, .report].contains(writer)
    scratch.write("file", Self.story)
    if chown(scratch("file"), 12345, 12345) == 0, isPage {
      #expect(try run(writer, to: "file") == .exited(code: ExitCode.cannotCreate.rawValue))
      _ = chown(scratch("file"), geteuid(), getegid())
    }
    // A results file is written in its place.
    chmod(scratch("file"), writer == .results ? 0o644 : 0o4644)
    let before = facts("file")
    let how = try run(writer, to: "file")
    #expect(how != .exited(code: ExitCode.cannotCreate.rawValue), "\(scratch.text("said"))")
    #expect(scratch.text("file") != Self.story, "\(scratch.text("said"))")
    let after = facts("file")
    #expect(after.st_mode & 0o7777 == (isPage ? 0o600 : 0o644))
    #expect(after.st_uid == before.st_uid && after.st_gid == before.st_gid)
    #expect(!scratch.names.contains { $0.hasPrefix(".") }, "\(scratch.names)")
  }

  @Test func `A file has no name until it is complete, so a killed verb leaves nothing`() throws {
    let file = try UserFile(scratch("file"), mode: 0o644, "name another file")
    #expect(!scratch.names.contains { $0.hasPrefix(".baton") }, "\(scratch.names)")
    try file.complete(with: Self.story)
    #expect(scratch.text("file") == Self.story)
    #expect(!scratch.names.contains { $0.hasPrefix(".baton") }, "\(scratch.names)")
  }
}

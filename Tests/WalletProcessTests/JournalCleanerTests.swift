import Foundation
import Glibc

@testable import WalletProcess

@Suite("Old journals") struct JournalCleanerTests {
  private final class Folder {
    let path: String

    init() throws {
      var template = Array("\(NSTemporaryDirectory())/baton-journals-XXXXXX".utf8CString)
      path = String(cString: try #require(mkdtemp(&template)))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

    func write(
      _ name: String, days: Int, first line: String = #"{"kind":"start","pid":1999999999,"start_time":5}"#
    ) {
      _ = FileManager.default.createFile(atPath: "\(path)/\(name)", contents: Data("\(line)\n{}\n".utf8))
      var times = [timespec(), timespec()]
      for index in 0...1 { times[index].tv_sec = time(nil) - days * 86_400 }
      utimensat(AT_FDCWD, "\(path)/\(name)", &times, 0)
    }

    /// Cleans to the end. Returns the number of steps and the last sentence.
    func clean() -> (steps: Int, end: String) {
      let cleaner = JournalCleaner(directory: path)
      for step in 1...1000 {
        switch cleaner.step() {
        case .goesOn: continue
        case .done(let what): return (step, what)
        case .failed(let why), .busy(let why): return (step, why)
        }
      }
      return (1000, "never")
    }
  }

  @Test(.shows("M-3.4"))
  func `Journals of ended processes are removed after a week, except each program's newest`() throws {
    let folder = try Folder()
    folder.write("20261101T000000-mainappd-1.jsonl", days: 8)
    folder.write("20261102T000000-mainappd-2.jsonl", days: 6)
    folder.write("20261103T000000-mainappd-3.jsonl", days: 8)
    folder.write("20261101T000000-lspd-4.jsonl", days: 100)
    expect(folder.clean().end, is: "removed 1 old journals")
    expect(
      folder.names,
      is: [
        "20261101T000000-lspd-4.jsonl", "20261102T000000-mainappd-2.jsonl",
        "20261103T000000-mainappd-3.jsonl",
      ])
  }

  @Test func `A symbolic link instead of the journal directory is refused, and nothing is removed`() throws {
    let folder = try Folder()
    for pid in 1...2 { folder.write("2026110\(pid)T000000-mainappd-\(pid).jsonl", days: 8) }
    let link = "\(folder.path)-link"
    symlink(folder.path, link)
    defer { unlink(link) }
    guard case .failed(let why) = JournalCleaner(directory: link).step() else {
      Issue.record("the linked directory was cleaned")
      return
    }
    #expect(why.contains("it is a symbolic link"))
    expect(folder.names.count, is: 2)
  }

  @Test(.shows("M-3.4"))
  func `A running process's journal, an unreadable journal and other files are not removed`() throws {
    let folder = try Folder()
    let own = ProcessTable.startTime(of: getpid()) ?? 0
    folder.write(
      "20261101T000000-iosd-1.jsonl", days: 30, first: "{\"pid\":\(getpid()),\"start_time\":\(own)}")
    folder.write("20261102T000000-iosd-2.jsonl", days: 30, first: "nothing to read")
    folder.write("20261103T000000-iosd-3.jsonl", days: 30)
    folder.write("notes.jsonl", days: 30)
    folder.write("20261101T000000-iosd-1.txt", days: 30)
    let before = folder.names
    expect(folder.clean().end, is: "removed 0 old journals")
    expect(folder.names, is: before)
  }

  @Test(.shows("D-8.5"))
  func `A removal of old journals that stopped after one step is completed by a new cleaner`() throws {
    let folder = try Folder()
    for number in 100..<133 { folder.write("20261101T000\(number)-iosd-1.jsonl", days: 30) }
    guard case .goesOn = JournalCleaner(directory: folder.path).step() else {
      Issue.record("one step was enough")
      return
    }
    expect(folder.names.count, is: 33 - JournalCleaner.filesPerStep)
    let (steps, end) = folder.clean()
    expect(steps, is: 1)
    expect(end, is: "removed 16 old journals")
    expect(folder.names, is: ["20261101T000132-iosd-1.jsonl"])
  }

  @Test(.shows("M-3.4", "D-8.4")) func `99 old journals are removed in 7 steps`() throws {
    let folder = try Folder()
    for number in 100..<200 { folder.write("20261101T000\(number)-iosd-1.jsonl", days: 30) }
    let (steps, end) = folder.clean()
    expect(steps, is: 7)
    expect(end, is: "removed 99 old journals")
    expect(folder.names, is: ["20261101T000199-iosd-1.jsonl"])
  }

  @Test func `The removal of old journals fails if the journal directory is missing`() {
    let cleaner = JournalCleaner(directory: "/nowhere/at/all")
    guard case .failed(let why) = cleaner.step() else {
      Issue.record("a missing folder was cleaned")
      return
    }
    #expect(why.contains("/nowhere/at/all"))
  }
}

import DaemonRuntime
import Foundation
import Glibc
import Testing
import PhonePolicy
import WaitingTests

@testable import IOSd

@Suite("iosd's process ledger", .waits) final class ProcessLedgerTests {
  private let directory: String
  private var path: String { "\(directory)/processes.jsonl" }

  init() {
    var template = Array("/tmp/baton-ledger-XXXXXX".utf8CString)
    directory = String(cString: mkdtemp(&template)!)
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  private func ledger() throws -> ProcessLedger { try ProcessLedger(path, clock: Clock()) }

  private func begin(_ ledger: ProcessLedger, _ role: String) -> UInt64 {
    ledger.begin { id in
      ProcessRow(
        id: id, role: role, pid: 7, startTime: 8, path: "/bin/true", launchReason: "test", startedWall: 1,
        startedAt: 2)
    }
  }

  private func end(_ ledger: ProcessLedger, _ id: UInt64) {
    ledger.change(id) { row in
      row.endedWall = 3
      row.reason = "done"
    }
    ledger.save(id)
  }

  @Test
  func
    `A running process stays in the process ledger however many later ones have ended, and its end is written`()
    throws
  {
    let ledger = try ledger()
    let app = begin(ledger, "app")
    for _ in 0..<300 { end(ledger, begin(ledger, "extension")) }
    #expect(ledger.rows.map(\.id) == [app] + Array(46...301))
    end(ledger, app)
    #expect(AppendLog<ProcessRow>.rows(of: path).last?.id == app)
    #expect(try self.ledger().rows.first { $0.id == app }?.reason == "done")
  }

  @Test
  func
    `After a restart of iosd the newest ended processes are kept, and a formerly running one is recorded as gone`()
    throws
  {
    var first: ProcessLedger? = try ledger()
    let app = begin(first!, "app")
    for _ in 0..<300 { end(first!, begin(first!, "extension")) }
    first = nil
    let second = try ledger()
    #expect(second.rows.map(\.id) == [app] + Array(47...301))
    #expect(second.rows.first?.reason == "gone with an earlier iosd")
    #expect(AppendLog<ProcessRow>.rows(of: path).last == second.rows.first)
    #expect(begin(second, "app") == 302)
  }
}

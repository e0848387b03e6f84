import TestKit

@testable import Baton

@Suite struct MachineDiagnosisTests {
  private func findings(_ change: (inout MachineFacts) -> Void) -> [Finding] {
    var facts = MachineFacts()
    facts.programs = [.init(path: "/x/lspd", state: .starts)]
    facts.scratchFreeBytes = 1 << 40
    change(&facts)
    return facts.findings
  }

  @Test func `A machine with all programs and rights has no finding`() {
    expect(findings { _ in }, is: [])
  }

  @Test func `A program whose library is missing is named with the package that has it`() {
    let words = "error while loading shared libraries: libmicrohttpd.so.12: cannot open shared object file"
    let found = findings { $0.programs[0].state = .fails("/x/lspd: \(words)") }
    expect(found.map(\.kind), is: [.packageMissing])
    #expect(found[0].remedy.contains("apt-get install libmicrohttpd12"))
    expect(findings { $0.programs[0].state = .fails("killed") }.map(\.kind), is: [.programMissing])
    expect(findings { $0.programs[0].state = .missing }.map(\.kind), is: [.programMissing])
    expect(findings { $0.programs[0].state = .notExecutable }.map(\.kind), is: [.programMissing])
  }

  @Test func `Each right and each limit that is missing has its finding`() {
    expect(findings { $0.showsLocks = false }.map(\.kind), is: [.locksInvisible])
    expect(findings { $0.connectionsObstacle = "no" }.map(\.kind), is: [.connectionsStayOpen])
    expect(findings { $0.filesMax = 255 }.map(\.kind), is: [.fewDescriptors])
    expect(findings { $0.filesMax = 256 }, is: [])
    expect(findings { $0.lockedBytesMax = 65_535 }.map(\.kind), is: [.memoryUnlocked])
    expect(findings { $0.scratchFreeBytes = 1 << 20 }.map(\.kind), is: [.noRoom])
    expect(findings { $0.scratchFreeBytes = nil }.map(\.kind), is: [.noRoom])
  }
}

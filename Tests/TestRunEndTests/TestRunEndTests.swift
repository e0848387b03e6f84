import DaemonRuntime
import Foundation
import Glibc
import Baton
import TestKit

@Suite("The end of a run of the tests", .waits) struct TestRunEndTests {
  private static let variable = "BATON_TEST_RUN_HOME"
  private static let home = getenv(variable).map { String(cString: $0) }
  private static let bundle = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
  private static let baton = bundle.deletingLastPathComponent().appending(path: "baton")

  private func start(_ program: URL, _ words: [String], _ variables: [String: String] = [:]) throws -> Process
  {
    let process = Process()
    process.executableURL = program
    process.arguments = words
    process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
    process.standardOutput = FileHandle.nullDevice
    try process.start()
    return process
  }

  /// All processes with this variable in their environment, also those that have a session of their own.
  private func processes(with mark: String) -> [Int32] {
    (DirectoryListing.names(of: "/proc") ?? []).compactMap { Int32($0) }.filter { pid in
      let environment = SmallFile.read("/proc/\(pid)/environ", limit: 262_144) ?? []
      return environment.split(separator: 0).contains { $0.elementsEqual(mark.utf8) }
    }
  }

  @Test(.enabled(if: home != nil, "it is a part of the test below"))
  func `A phone is up until its run is killed`() throws {
    try start(Self.baton, ["--home", Self.home ?? "", "up"]).waitUntilExit()
    while true { pause() }
  }

  @Test(.enabled(if: home == nil)) func `A run of the tests that is killed leaves no daemon behind`() throws {
    let home = NSTemporaryDirectory() + "/baton-run-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: home) }
    let run = try start(
      Self.bundle, ["--testing-library", "swift-testing", "--filter", "TestRunEndTests"],
      [Self.variable: home])
    try Wait.until("the phone to be up", within: .seconds(120)) {
      (try? Phone(home: home).ask(.iosd, ControlMessage("status"))) != nil
    }
    let mark = "\(Self.variable)=\(home)"
    #expect(Set(processes(with: mark).compactMap(ProcessTable.name)).isSuperset(of: ["iosd", "lspd"]))
    kill(run.processIdentifier, SIGKILL)
    try Wait.until("its daemons to end") { processes(with: mark).isEmpty }
    run.waitUntilExit()
  }
}

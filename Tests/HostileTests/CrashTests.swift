@Suite("Traces of a crash", .serialized, .waits) struct CrashTests {
  private static func coreLimit(of pid: Int32) throws -> [String] {
    let limits = try String(contentsOfFile: "/proc/\(pid)/limits", encoding: .utf8)
    let line = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") } ?? ""
    return line.split(separator: " ").dropFirst(4).prefix(2).map(String.init)
  }

  @Test(.disabled(if: RealPhone.isSanitized, "a sanitizer writes what it knows of a crash"))
  func `iosd and lspd may write no core dump, and their crash adds nothing to their logs`() throws {
    var limit = rlimit(rlim_cur: rlim_t.max, rlim_max: rlim_t.max)
    var before = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &before)
    limit.rlim_cur = before.rlim_max
    limit.rlim_max = before.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    defer { setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &before) }
    let phone = try RealPhone()
    expect(try phone.baton(["app", "open"]).code, is: 0)
    let daemons: [(RealPhone.Door, String)] = [(.phone, "os/iosd.log"), (.provider, "lsp/lspd.log")]
    let app = try #require(
      try phone.baton(["status", "--json"]).output.firstMatch(of: /"app":{"state":"[a-z ]+","pid":(\d+)/)
        .flatMap { Int32($0.1) })
    // With a limit of 1 byte the kernel writes no core dump, neither to a file nor to a collecting program.
    #expect([["1", "1"], ["0", "1"], ["0", "0"]].contains(try Self.coreLimit(of: app)))
    for (door, log) in daemons {
      let pid = try phone.pid(behind: door)
      #expect([["1", "1"], ["0", "0"]].contains(try Self.coreLimit(of: pid)))
      let said = try Data(contentsOf: URL(fileURLWithPath: "\(phone.home)/\(log)"))
      kill(pid, SIGSEGV)
      try Wait.until("the end of \(log)") { !FileManager.default.fileExists(atPath: "/proc/\(pid)/exe") }
      expect(try Data(contentsOf: URL(fileURLWithPath: "\(phone.home)/\(log)")), is: said)
    }
  }
}

@testable import IOSd

/// The real extension with injected faults, on a real phone.
@Suite(.disabled(if: PhoneProcess.isSanitized, "its memory is the sanitizer's"), .waits) struct LimitTests {
  private static let notifyextd = "\(Started.directory)/notifyextd"
  /// Ballast that puts the extension just below and above 24 MB.
  private static let justBelow = "\(20 << 20)"
  private static let above = "\(30 << 20)"

  /// With a wallet, which the app has made.
  private func phone(_ mechanism: String, _ options: String...) throws -> PhoneProcess {
    let phone = try PhoneProcess(
      app: "\(Started.directory)/mainappd", ext: Self.notifyextd,
      ["--memory-mechanism", mechanism] + options)
    try phone.ask("open")
    try Wait.until("the app has made the wallet") { try phone.said("app") != nil }
    try phone.ask("quit")
    _ = try phone.ended("app")
    return phone
  }

  private func extensions(_ phone: PhoneProcess) throws -> [[String: Any]] {
    try phone.rows("ps").filter { $0["role"] as? String == "extension" }
  }

  private func limits(_ phone: PhoneProcess) throws -> [String: Any] {
    try #require(try phone.status()["limits"] as? [String: Any])
  }

  private func expectKilledForMemory(_ phone: PhoneProcess) throws {
    try phone.push("the original")
    expect(try phone.notifications(1), is: ["the original"])
    let row = try phone.ended("extension")
    let reason = try #require(row["reason"] as? String)
    let told = try #require(
      reason.firstMatch(of: /^killed: exceeded mem limit: ActiveHard 24 MB \(fatal\), with ([0-9]+) bytes$/),
      "\(reason)")
    // All of its memory, if it had that before iosd's poll.
    #expect((24_000_000...35_000_000).contains(try #require(Int(told.1))))
    expect(row["crashed"] as? Bool, is: false)
    // The next push starts another process, which delivers or is killed like this one.
    try phone.push("once more")
    expect(try phone.notifications(2), is: ["the original", "once more"])
  }

  private func expectAlive(_ phone: PhoneProcess) throws {
    try phone.push("the original")
    #expect(try phone.notifications(1) != ["the original"])
    try Wait.until("the extension to be suspended") { try phone.state("extension") == "suspended" }
    let row = try #require(try extensions(phone).last)
    #expect(row["reason"] == nil)
  }

  @Test(.shows("B-0.1", "P-0.2"))
  func `iosd kills an extension with 30 MB of extra memory, and shows the alert as sent`()
    throws
  {
    // It hangs with its memory: under load iosd's next poll may come after its text.
    let phone = try phone("polling", "--fault-ballast", Self.above, "--fault-hang")
    expect(try limits(phone)["memory_mechanism"] as? String, is: "polling")
    try expectKilledForMemory(phone)
  }

  @Test(.shows("B-0.1"), arguments: [10, 20])
  func `An extension with 10 or 20 MB of extra memory is not killed, and delivers`(megabytes: Int)
    throws
  {
    try expectAlive(try phone("polling", "--fault-ballast", "\(megabytes << 20)"))
  }

  /// A node like LDK's is said to need 25 to 30 MB with its runtime.
  @Test(.shows("B-0.3"))
  func
    `With 27 MB of extra memory each push's extension is killed, without it one process serves all pushes`()
    throws
  {
    let large = try phone("polling", "--fault-ballast", "\(27 << 20)", "--fault-hang")
    for number in 1...3 {
      try large.push("the original")
      expect(try large.notifications(number), is: [String](repeating: "the original", count: number))
      try Wait.until("process \(number) is gone") { try large.state("extension") == "not running" }
    }
    let reasons = try extensions(large).compactMap { $0["reason"] as? String }
    expect(reasons.count, is: 3)
    #expect(reasons.allSatisfy { $0.hasPrefix("killed: exceeded mem limit: ActiveHard 24 MB (fatal)") })

    let small = try phone("polling")
    for number in 1...3 {
      try small.push("the original")
      #expect(try !small.notifications(number).contains("the original"))
    }
    let rows = try extensions(small)
    expect(rows.count, is: 1)
    #expect(rows.first?["reason"] == nil)
  }

  @Test(.enabled(if: MemoryGroupTests.canBeMade, "a memory cgroup (v1) that this user can write"))
  func `A memory cgroup kills an extension with 30 MB of extra memory, and is removed at power-off`() throws {
    let phone = try phone("cgroup", "--fault-ballast", Self.above)
    expect(try limits(phone)["memory_mechanism"] as? String, is: "memory cgroup")
    try expectKilledForMemory(phone)
    // The kernel enforces the limit to the byte.
    let row = try phone.ended("extension")
    #expect(try #require(row["peak_footprint_bytes"] as? Int) <= 25_165_824)
    let group = try #require(try limits(phone)["memory_group"] as? String)
    expect(access(group, F_OK), is: 0)
    try phone.down()
    #expect(access(group, F_OK) != 0)
  }

  @Test(.enabled(if: MemoryGroupTests.canBeMade, "a memory cgroup (v1) that this user can write"))
  func `Under a memory cgroup an extension with 20 MB of extra memory is not killed, and delivers`() throws {
    try expectAlive(try phone("cgroup", "--fault-ballast", Self.justBelow))
  }

  @Test(.shows("B-0.2", "P-0.2"))
  func `An extension that hangs is killed at its time limit, and the alert is shown as sent`()
    throws
  {
    let phone = try phone("auto", "--fault-hang", "--extension-time", "400ms", "--expiry-notice", "50ms")
    expect(try limits(phone)["time_ms"] as? Int, is: 400)
    try phone.push("the original")
    expect(try phone.notifications(1), is: ["the original"])
    expect(try phone.ended("extension")["reason"] as? String, is: "killed: used up its 0.400 s for one push")
  }

  @Test func `The status of a debug build says that no memory limit is enforced`() throws {
    let phone = try PhoneProcess(["--build", "debug"])
    expect(try limits(phone)["memory_mechanism"] as? String, is: "none")
    #expect(try limits(phone)["memory_group"] == nil)
  }

  @Test(.shows("K-44"))
  func `Even of a short-lived process the peaks of footprint and resident memory are recorded`() throws {
    let phone = try PhoneProcess(ext: "ext-words-then-exit", ["--after-content", "run"])
    try phone.push()
    let row = try phone.ended("extension")
    #expect(try #require(row["peak_footprint_bytes"] as? Int) > 0)
    #expect(try #require(row["peak_resident_bytes"] as? Int) > 0)
  }
}

@Suite("Memory during a processing task", .waits) struct CleaningMemoryTests {
  private static let task = "com.example.lightning.processing"
  /// Each is longer than the part of it that the app reads.
  private func writeOldJournals(_ count: Int, _ phone: PhoneProcess) throws {
    let line = #"{"kind":"start","pid":1999999999,"start_time":5}"# + "\n"
    let text = Data((line + String(repeating: "x", count: 8192)).utf8)
    for number in 0..<count {
      let path = "\(phone.home)/journal/20260101T000000-mainappd-\(1_000_000 + number).jsonl"
      try text.write(to: URL(filePath: path))
      var times = [timespec(), timespec()]
      for index in 0...1 { times[index].tv_sec = time(nil) - 8 * 86_400 }
      utimensat(AT_FDCWD, path, &times, 0)
    }
  }

  private func resident(_ phone: PhoneProcess) throws -> (now: Int, peak: Int) {
    let answer = try JSONSerialization.jsonObject(with: Data(try phone.ask("status").body))
    let app = try #require((answer as? [String: Any])?["app"] as? [String: Any])
    let row = try #require(try phone.rows("ps").last { $0["role"] as? String == "app" })
    return (try #require(app["resident_bytes"] as? Int), try #require(row["peak_resident_bytes"] as? Int))
  }

  @Test(.shows("D-8.7", "D-8.8"), .disabled(if: PhoneProcess.isSanitized, "its memory is the sanitizer's"))
  func `Removing 3,000 journals in steps raises the app's peak memory by at most 1 MiB`() throws {
    let phone = try PhoneProcess(
      app: "\(Started.directory)/mainappd", ["--build", "debug", "--clean-journals"])
    try writeOldJournals(20, phone)
    try phone.ask("open")
    try Wait.until("the app has asked for its tasks") { try phone.rows("tasks").count == 2 }
    try phone.ask("home")
    // A first run, for what every run needs once.
    try clean(phone)
    let before = try resident(phone)
    try writeOldJournals(3000, phone)
    try clean(phone)
    let after = try resident(phone)
    #expect(after.peak <= before.peak + 1 << 20, "\(before) \(after)")
    #expect(after.now <= before.now + 1 << 20, "\(before) \(after)")
  }

  private func clean(_ phone: PhoneProcess) throws {
    let done = try phone.rows("tasks").count { $0["state"] as? String == "completed" }
    try phone.ask("task-launch", ["identifier": Self.task])
    try Wait.until("the task to be done") {
      try phone.rows("tasks").count { $0["state"] as? String == "completed" } == done + 1
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: "\(phone.home)/journal")
      .count { $0.hasPrefix("20260101T") }
    expect(left, is: 0)
  }
}

@Suite("The pair on a failing disk", .serialized, .waits)
struct FailingDiskTests {
  private static let canMount = geteuid() == 0 && unshareWorks()
  private static let strace = ["/usr/bin/strace", "/usr/local/bin/strace"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// Whether this user may mount: root in a container often may not.
  private static func unshareWorks() -> Bool {
    var template = Array("/tmp/baton-mount-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { return false }
    defer { rmdir(made) }
    guard mount("tmpfs", made, "tmpfs", 0, "size=64k") == 0 else { return false }
    return umount2(made, Int32(MNT_DETACH)) == 0
  }

  @Test(.enabled(if: canMount, "mounting a small disk needs root"))
  func `On a full disk new invoices are refused in a sentence; with room again earlier ones are paid`() throws
  {
    let phone = try TestPhone()
    let group = "\(phone.home)/AppGroup"
    mkdir(group, 0o700)
    try #require(mount("tmpfs", group, "tmpfs", 0, "size=600k,mode=700") == 0)
    defer {
      phone.end()
      umount2(group, Int32(MNT_DETACH))
      try? FileManager.default.removeItem(atPath: phone.home)
    }
    let app = try phone.launchApp()
    let invoices = try phone.invoices(2, app)
    phone.open(app)
    try phone.wait("the app to be connected") { app.status == "connected" }
    _ = try? phone.run("dd", ["if=/dev/zero", "of=\(group)/filler", "bs=4k"])
    var refusal: String?
    for _ in 0..<400 where refusal == nil {
      do { _ = try phone.invoice(1000, app) } catch { refusal = "\(error)" }
    }
    #expect(
      refusal?.contains("is full; free some space and try again") == true, "\(refusal ?? "never refused")")
    #expect(!app.hasEnded)
    unlink("\(group)/filler")
    for invoice in invoices { try phone.pay(invoice) }
    for invoice in invoices { try phone.waitUntilSettled(invoice) }
    try phone.wait("both payments in the wallet") { (try? phone.receivedPayments().count) == 2 }
    #expect(!app.hasEnded)
  }

  @Test(
    .enabled(if: strace != nil, "there is no strace to make calls fail; `scripts/setup strace` installs it"),
    arguments: ["fsync,fdatasync", "pwrite64"])
  func `During I/O errors a payment does not settle; afterwards it does`(calls: String) throws {
    let phone = try TestPhone()
    let app = try phone.launchApp()
    let invoice = try phone.invoices(1, app)[0]
    phone.open(app)
    try phone.wait("the app to be connected") { app.status == "connected" }

    let tracer = Process()
    tracer.executableURL = URL(fileURLWithPath: Self.strace ?? "")
    let trace = "\(phone.home)/trace"
    tracer.arguments = [
      "-o", trace, "-p", "\(app.pid)", "-e", "trace=\(calls)", "-e", "inject=\(calls):error=EIO",
    ]
    tracer.standardError = FileHandle.nullDevice
    try tracer.start()
    try phone.wait("strace to hold the app") { phone.tracer(of: app.pid) == tracer.processIdentifier }
    try phone.pay(invoice)
    try phone.wait("the app to show the I/O error") { app.status.contains("(disk I/O error, code ") }
    #expect(app.status.hasSuffix("; check its disk"))
    #expect(try phone.outcome(invoice) != "settled")
    // SIGKILL detaches the tracer from the app; other signals may be blocked in a test's child processes.
    kill(tracer.processIdentifier, SIGKILL)
    tracer.waitUntilExit()

    try phone.waitUntilSettled(invoice)
    try phone.wait("the payment in the wallet") {
      (try? phone.receivedPayments()) == [invoice.paymentHash.hex]
    }
    #expect(!app.hasEnded)
  }
}

extension TestPhone {
  /// The pid of a process's tracer; 0 without one.
  func tracer(of pid: Int32) -> Int32? {
    let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
    return status.split(separator: "\n").first { $0.hasPrefix("TracerPid:") }
      .flatMap { Int32($0.split(separator: "\t").last ?? "") }
  }
}

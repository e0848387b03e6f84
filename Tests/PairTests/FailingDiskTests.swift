@Suite("The pair on a failing disk", .serialized, .waits) struct FailingDiskTests {
  private static let strace = ["/usr/bin/strace", "/usr/local/bin/strace"].first {
    FileManager.default.isExecutableFile(atPath: $0)
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

    let tracer = try Started(
      Self.strace ?? "",
      [
        "-o", "\(phone.home)/trace", "-p", "\(app.pid)", "-e", "trace=\(calls)", "-e",
        "inject=\(calls):error=EIO",
      ])
    try phone.wait("strace to hold the app") { phone.tracer(of: app.pid) == tracer.pid }
    try phone.pay(invoice)
    try phone.wait("the app to show the I/O error") { app.status.contains("(disk I/O error, code ") }
    #expect(app.status.hasSuffix("; check its disk"))
    #expect(try phone.outcome(invoice) != "settled")
    // SIGKILL detaches the tracer from the app; other signals may be blocked in a test's child processes.
    tracer.kill()

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

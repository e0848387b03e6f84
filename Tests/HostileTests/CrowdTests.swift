import Platform

@Suite("Hostile input: many connections to the daemons", .serialized, .waits) struct CrowdTests {
  @Test(
    .enabled(
      if: RealPhone.descriptorsAllowed >= 2600,
      "each of the four clients holds 2,500 descriptors; raise the limit with `ulimit -Hn`"),
    arguments: RealPhone.Door.allCases)
  func `With 10,000 silent connections to a daemon the app still connects, and the daemon sleeps`(
    _ door: RealPhone.Door
  )
    throws
  {
    let phone = try RealPhone()
    let pid = try phone.pid(behind: door)
    _ = try phone.ask(.phone, ControlMessage("open"))
    try Wait.until("the app to be connected") { try walletIsConnected(phone) }
    let descriptors = try RealPhone.descriptors(of: pid)
    let footprint = try RealPhone.footprint(of: pid)
    // From several processes, as each may have only a few thousand descriptors.
    var count = 0
    for _ in 0..<4 { count += try phone.openConnections("hold", 2500, at: door) }
    expect(count, is: 10_000)
    // The wallet has to connect again in spite of them.
    _ = try phone.ask(.phone, ControlMessage("home"))
    try Wait.until("the app to disconnect") { try !walletIsConnected(phone) }
    _ = try phone.ask(.phone, ControlMessage("open"))
    try Wait.until("the app to be connected again") { try walletIsConnected(phone) }
    #expect(try RealPhone.descriptors(of: pid) <= descriptors + 256)
    #expect(try RealPhone.footprint(of: pid) <= footprint + 4 * 1024 * 1024)
    try RealPhone.waitUntilAsleep(pid)
    phone.endClients()
    try Wait.until("the descriptors to be closed") { try RealPhone.descriptors(of: pid) <= descriptors + 1 }
    #expect(try RealPhone.footprint(of: pid) <= footprint + 4 * 1024 * 1024)
  }

  @Test(arguments: RealPhone.Door.allCases)
  func `10,000 dropped connections leave no descriptor and no ledger row, and cost the daemon at most 2 MiB`(
    _ door: RealPhone.Door
  )
    throws
  {
    let phone = try RealPhone()
    let pid = try phone.pid(behind: door)
    let descriptors = try RealPhone.descriptors(of: pid)
    let footprint = try RealPhone.footprint(of: pid)
    expect(try phone.openConnections("drop", 10_000, at: door), is: 10_000)
    expect(try phone.ask(.phone, ControlMessage("status")).verb, is: "ok")
    expect(try phone.ask(.provider, ControlMessage("status")).verb, is: "status")
    try Wait.until("the descriptors to be closed") { try RealPhone.descriptors(of: pid) <= descriptors + 1 }
    #expect(try RealPhone.footprint(of: pid) <= footprint + 2 * 1024 * 1024)
    // A silent connection gets no row.
    let ledger = try Connection(
      path: "\(phone.home)/lsp/ledger.sqlite", access: .readOnly, busyTimeoutMs: 5000)
    expect(try ledger.firstRow("SELECT count(*) FROM connections")?.integer(0), is: 0)
  }

  @Test(.enabled(if: getuid() == 0, "it needs root"))
  func `A process of another user gets an error that names the socket's user`() throws {
    let phone = try RealPhone()
    for (door, directory) in [(RealPhone.Door.phone, "os"), (.provider, "lsp")] {
      for path in [phone.home, "\(phone.home)/\(directory)"] { chmod(path, 0o755) }
      chmod(try phone.place(door), 0o666)
      let client = try Started.run("TestForeignProcess", ["as-user", "65534", try phone.place(door)])
      expect(client.output, is: "this socket serves only the user 0; ask as that user\n")
      _ = try phone.ask(door, ControlMessage("status"))
    }
  }

  private func walletIsConnected(_ phone: RealPhone) throws -> Bool {
    try phone.ask(.provider, ControlMessage("status")).bodyText.contains(#""channel_established":true"#)
  }
}

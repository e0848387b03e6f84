import Wallet

@Suite("The pair on real processes: the LSP's fence and backup", .serialized, .waits) struct PeerMemoryTests {
  @Test(.shows("P-4.1", "K-28"), arguments: [false, true])
  func
    `With an old copy of the database the app raises its epoch, adopts the backup, soon or late, and loses no money`(
      isLate: Bool
    ) throws
  {
    let phone = try TestPhone(peerArguments: isLate ? ["--storage-delay", "25s"] : [])
    let app = try phone.launchApp()
    let invoices = try phone.invoices(2, app)
    try phone.kill(app)
    let group = "\(phone.home)/AppGroup"
    let copy = "\(phone.home)/copy"
    let names = ["node.sqlite", "node.sqlite-wal", "node.sqlite-shm"]
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
    for name in names where FileManager.default.fileExists(atPath: "\(group)/\(name)") {
      try FileManager.default.copyItem(atPath: "\(group)/\(name)", toPath: "\(copy)/\(name)")
    }

    let (notifier, _) = try phone.pushToExtension()
    try phone.receive(invoices[0])
    let known = try #require(phone.owner?.epoch)
    try phone.kill(notifier)
    for name in names {
      try? FileManager.default.removeItem(atPath: "\(group)/\(name)")
      if FileManager.default.fileExists(atPath: "\(copy)/\(name)") {
        try FileManager.default.copyItem(atPath: "\(copy)/\(name)", toPath: "\(group)/\(name)")
      }
    }
    #expect(try #require(phone.owner?.epoch) < known)

    let again = try phone.launchApp()
    phone.open(again)
    if isLate {
      try phone.wait("the app to see that the backup is outdated") { again.status.contains("newer state") }
      expect(try phone.balanceMsat(), is: 1_000_000_000, "the outdated backup is not adopted")
    }
    try phone.wait("the app to be connected") { again.status.hasPrefix("connected") }
    #expect(try #require(phone.owner?.epoch) > known)
    expect(try phone.snapshot().claims.last?.reason, is: ClaimReason.raised.rawValue)
    try phone.receive(invoices[1])
    // The preimage arrives before the commitment that credits the payment.
    try phone.wait("both payments in the balance") { (try? phone.balanceMsat()) == 1_000_003_000 }
  }

  /// Ends the processes and moves the container away.
  private func move(_ phone: TestPhone, to place: String, ending processes: [HeldProcess]) throws {
    for process in processes { process.kill(SIGKILL) }
    try phone.wait("the end of all") { processes.allSatisfy(\.hasEnded) }
    let group = "\(phone.home)/AppGroup"
    try FileManager.default.moveItem(atPath: group, toPath: "\(phone.home)/\(place)")
  }

  /// The user requests the move; the app is killed `kills` times before its answer and asked again.
  private func restore(_ phone: TestPhone, killedTimes kills: Int) throws -> HeldProcess {
    for kill in 0...kills {
      let app = try phone.launchApp()
      phone.open(app)
      try phone.wait("the app to be refused or connected") {
        app.status == Status.usedByAnotherDevice.text || app.status.hasPrefix("connected")
      }
      app.ask("m\(kill)", ControlMessage("restore"))
      if kill < kills {
        // At a different moment each time: before the request is read, or during the connection.
        if kill > 0 { try phone.wait("the app to try") { app.status != Status.usedByAnotherDevice.text } }
        try phone.kill(app)
        continue
      }
      try phone.wait("the answer") { app.answer(to: "m\(kill)") != nil }
      expect(app.answer(to: "m\(kill)")?.verb, is: "restored")
      return app
    }
    throw CancellationError()
  }

  @Test func `At the user's request a new container replaces the old one, and later the old one the new one`()
    throws
  {
    let phone = try TestPhone()
    let app = try phone.launchApp()
    let invoices = try phone.invoices(2, app)
    let (notifier, _) = try phone.pushToExtension()
    try phone.receive(invoices[0])
    let old = try #require(phone.owner?.epoch)
    try move(phone, to: "old", ending: [app, notifier])
    try phone.pay(invoices[1])

    let moved = try restore(phone, killedTimes: 2)
    try phone.waitUntilSettled(invoices[1])
    try phone.wait("both payments in the balance") { (try? phone.balanceMsat()) == 1_000_003_000 }
    #expect(try #require(phone.owner?.epoch) > old)
    // The first is also recorded here if its HTLC was still in the channel at the move; each is recorded once.
    let received = try phone.receivedPayments()
    let hashes = invoices.map(\.paymentHash.hex)
    #expect(received == [hashes[1]] || received == hashes)

    // The old container is refused until the user moves the wallet back, with the whole balance.
    try move(phone, to: "new", ending: [moved])
    try FileManager.default.moveItem(atPath: "\(phone.home)/old", toPath: "\(phone.home)/AppGroup")
    let former = try phone.launchApp()
    phone.open(former)
    try phone.wait("the old container to be refused") { former.status == Status.usedByAnotherDevice.text }
    try phone.kill(former)
    let back = try restore(phone, killedTimes: 0)
    let third = try phone.invoice(4000, back)
    try phone.receive(third)
    try phone.wait("all payments in the balance") { (try? phone.balanceMsat()) == 1_000_007_000 }
  }

  @Test
  func `With an LSP without epochs, the extension receives, and after its kill the app receives`() throws {
    let phone = try TestPhone(peerArguments: ["--legacy"])
    let app = try phone.launchApp()
    let invoices = try phone.invoices(2, app)
    try phone.pay(invoices[0])
    let (notifier, _) = try phone.pushToExtension()
    try phone.waitUntilSettled(invoices[0])
    notifier.kill(SIGKILL)
    try phone.connect(app)
    try phone.receive(invoices[1])
    expect(try phone.receivedPayments(), is: invoices.map(\.paymentHash.hex))
  }
}

import Platform

/// What the extension that only notifies never does, by iosd's own rows of its processes and not by the roles that the
/// processes give themselves.
@Suite("The extension tells and the app receives, by pids", .serialized, .waits) struct ToldByOneTests {
  /// BATON_RECEIVED sets the number of payments: 200 take some minutes.
  @Test(.shows("B-1.1.2", "B-1.1.3"))
  func `No connection is of a process of the extension, and each preimage is of a process of the app`()
    throws
  {
    let count = ProcessInfo.processInfo.environment["BATON_RECEIVED"].flatMap { Int($0) } ?? 6
    let phone = try CompletingPhone()
    let invoices = try phone.invoices((1...count).map { 1000 + $0 })
    for (number, invoice) in invoices.enumerated() {
      let notification = try phone.announce(invoice)
      if number % 2 == 0 { try phone.tap(notification) } else { _ = try phone.baton("app", "open") }
      _ = try phone.waitForState("completed")
      try phone.quit()
    }
    _ = try phone.baton("down")

    let (apps, extensions) = (try pids("app", phone), try pids("extension", phone))
    #expect(!extensions.isEmpty && apps.count > count / 2 && apps.isDisjoint(with: extensions))
    let wallet = try Connection(path: "\(phone.home)/AppGroup/node.sqlite", access: .readWrite)
    var claims: [Int64: Int64] = [:]
    for row in try wallet.rows("SELECT epoch, pid FROM claims") {
      claims[try row.integer(0)] = try row.integer(1)
    }
    let ledger = try Connection(path: "\(phone.home)/lsp/ledger.sqlite", access: .readWrite)
    let connections = try ledger.rows(
      "SELECT epoch FROM connections WHERE verdict IN ('accepted', 'unfenced')")
    #expect(connections.count >= count)
    for row in connections {
      let pid = try #require(claims[try row.integer(0)])
      #expect(apps.contains(pid) && !extensions.contains(pid))
    }
    let preimages = try ledger.rows(
      """
      SELECT connections.epoch FROM frames JOIN connections ON connections.id = frames.connection
      WHERE direction = 'in' AND acted = 1 AND substr(bytes, 1, 2) = x'0082'
      """)
    expect(preimages.count, is: count)
    for row in preimages { #expect(apps.contains(try #require(claims[try row.integer(0)]))) }
  }

  /// Of the processes that iosd started in this role.
  private func pids(_ role: String, _ phone: CompletingPhone) throws -> Set<Int64> {
    let text = try String(contentsOfFile: "\(phone.home)/os/processes.jsonl", encoding: .utf8)
    return Set(
      text.split(separator: "\n").compactMap { line in
        let row = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return row?["role"] as? String == role ? (row?["pid"] as? Int).map { Int64($0) } : nil
      })
  }

  @Test(.shows("K-16"))
  func `With a sealed silent push the phone's files show no hash and no amount of a received payment`()
    throws
  {
    let phone = try CompletingPhone(lspd: ["--sealed-silent-push"])
    let invoice = try phone.invoice(sats: 7654)
    let read = try phone.baton("invoice", "--read", invoice, "--json").output
    let facts = try JSONSerialization.jsonObject(with: Data(read.utf8)) as? [String: Any]
    let hash = try #require(facts?["payment_hash"] as? String)
    try phone.tap(try phone.announce(invoice))
    expect(try phone.waitForState("completed")["text"] as? String, is: "Received 7654 sats")
    let pushes = try String(contentsOfFile: "\(phone.home)/os/pushes.jsonl", encoding: .utf8)
    #expect(pushes.split(separator: "\n").count >= 2)
    _ = try phone.baton("down")
    let files = try FileManager.default.subpathsOfDirectory(atPath: "\(phone.home)/os")
    #expect(files.count > 3)
    for file in files {
      guard let bytes = FileManager.default.contents(atPath: "\(phone.home)/os/\(file)") else { continue }
      for secret in [hash, hash.uppercased(), "7654000", "7,654", "7654 sat"] {
        #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(file) has \(secret)")
      }
    }
    // iosd's journal has each push that arrived, as far as the phone keeps it.
    let journal = Journals.text(of: phone.home, "iosd")
    #expect(!journal.isEmpty && !journal.contains(hash) && !journal.contains("7654000"))
  }
}

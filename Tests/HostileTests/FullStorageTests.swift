import Platform
import PhonePolicy

@testable import DaemonRuntime

/// A real phone with a full storage: `baton device storage full`.
@Suite("Payments with a full storage", .waits) struct FullStorageTests {
  private func payments(_ phone: RealPhone) throws -> [PeerPaymentRow] {
    try phone.driver().phone.peerPayments()
  }

  private func state(_ phone: RealPhone, of payment: String) throws -> String? {
    try payments(phone).first { "\($0.id)" == payment }?.state
  }

  private func pay(_ phone: RealPhone, _ invoice: String) throws -> String {
    let before = try payments(phone).count
    let paid = try phone.baton(["pay", "--no-wait", "--hold-seconds", "600", invoice])
    expect(paid.code, is: 0, "\(paid.errors)")
    let rows = try payments(phone)
    try #require(rows.count == before + 1)
    return "\(rows.last?.id ?? 0)"
  }

  private func endApp(_ phone: RealPhone) throws {
    _ = try phone.ask(.phone, ControlMessage("home"))
    _ = try phone.ask(.phone, ControlMessage("quit"))
    try Wait.until("the app and the extension to end") {
      try phone.driver().phone.allProcesses().allSatisfy(\.hasEnded)
    }
  }

  private func cutLog(_ group: String) throws {
    let database = try Connection(path: "\(group)/node.sqlite", access: .readWrite, busyTimeoutMs: 5000)
    _ = try database.firstRow("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  @Test
  func `A full storage is reported in a sentence, and with room again each payment is paid or failed`() throws
  {
    let phone = try RealPhone()
    try phone.driver().openAndConnect()
    var invoices: [String] = []
    for _ in 1...4 { invoices.append(try phone.invoice(msat: 1_000_000)) }
    let first = try pay(phone, invoices[0])
    try Wait.until("the first payment") { try state(phone, of: first) == "paid" }

    let full = try phone.baton(["device", "storage", "full"])
    expect(full.output, is: "the storage is full: writes that need more room fail\n")
    // The log still has room for a while.
    var refusal: String?
    for _ in 0..<400 where refusal == nil {
      do {
        _ = try phone.invoice(msat: 1_000)
      } catch { refusal = "\(error)" }
    }
    expect(
      refusal?.contains("is full; free some space and try again"), is: true, "\(refusal ?? "never refused")")
    let inFront = try pay(phone, invoices[1])
    try endApp(phone)

    // Now the extension: no process runs, and the log is checkpointed and truncated, as any tool may do.
    expect(try phone.baton(["device", "storage", "free"]).output, is: "there is room in the storage\n")
    try cutLog("\(phone.home)/AppGroup")
    _ = try phone.baton(["device", "storage", "full"])
    let behind = try pay(phone, invoices[2])
    try Wait.until("the extension to report the full disk") {
      phone.journal(of: "notifyextd").contains("is full; free some space and try again")
    }
    expect(try state(phone, of: behind), is: "held")

    expect(try phone.baton(["device", "storage", "free"]).output, is: "there is room in the storage\n")
    _ = try phone.ask(.phone, ControlMessage("open"))
    let last = try pay(phone, invoices[3])
    for payment in [inFront, behind, last] {
      try Wait.until("payment \(payment)", within: .seconds(120)) {
        ["paid", "failed"].contains(try state(phone, of: payment))
      }
    }
    expect(try state(phone, of: last), is: "paid")
    let all = try phone.driver().phone.allProcesses()
    #expect(all.allSatisfy { $0.hasCrashed != true }, "\(all)")
    let iosd = phone.journal(of: "iosd")
    expect(iosd.components(separatedBy: "the storage is full: ").count, is: 3, "noted once each time")
    expect(try phone.baton(["down"]).code, is: 0)
    let judged = try phone.baton(["judge", "--require-settled", "--json"])
    // The app ended on the full disk: where the last lines of its journal found no room, there is no verdict, for this alone.
    let document = try JSONSerialization.jsonObject(with: Data(judged.output.utf8)) as? [String: Any]
    let missing = (document?["missing"] as? [[String: Any]] ?? []).map { $0["sentence"] as? String ?? "" }
    let cut = try journalsWithoutEnd(phone, of: "mainappd")
    let isCut = judged.code == 74 && missing.count == 1 && cut.contains { missing[0].contains($0) }
    #expect(judged.code == 0 || isCut, "\(cut) \(judged.output)\(judged.errors)")
  }

  private func journalsWithoutEnd(_ phone: RealPhone, of process: String) throws -> [String] {
    let directory = "\(phone.home)/journal"
    return try FileManager.default.contentsOfDirectory(atPath: directory).filter { name in
      guard name.contains("-\(process)-") else { return false }
      let text = try String(contentsOfFile: "\(directory)/\(name)", encoding: .utf8)
      return text.split(separator: "\n").last?.contains("\"kind\":\"end\"") != true
    }
  }
}

import Lightning
import SharedContainer
import Wallet

/// A damage to a file.
struct Damage: CustomTestStringConvertible, Sendable {
  var testDescription: String
  var apply: @Sendable (String) -> Void

  static let removed = Damage(testDescription: "removed") { unlink($0) }
  static let renamed = Damage(testDescription: "renamed") { rename($0, "\($0)-away") }
  static let replaced = Damage(testDescription: "replaced") { path in
    rename(path, "\(path)-away")
    close(open(path, O_WRONLY | O_CREAT, 0o600))
  }
  static let emptied = Damage(testDescription: "truncated to 0 bytes") { truncate($0, 0) }
}

@Suite("Damage to files of the running pair", .serialized, .waits) struct DamageTests {
  private func connectedApp(_ phone: TestPhone) throws -> (HeldProcess, [SignedInvoice]) {
    let app = try phone.launchApp()
    let invoices = try phone.invoices(2, app)
    phone.open(app)
    try phone.wait("the app to be connected") { app.status == "connected" }
    return (app, invoices)
  }

  /// Starts the app again: the unpaid invoice is received, and the paid one is still there.
  private func goesOn(_ phone: TestPhone, paid: SignedInvoice, unpaid: SignedInvoice) throws {
    let again = try phone.launchApp()
    phone.open(again)
    try phone.wait("the app to be connected again") { again.status == "connected" }
    try phone.receive(unpaid)
    try phone.waitUntilSettled(paid)
    let expected = [paid, unpaid].map(\.paymentHash.hex).sorted()
    try phone.wait("both payments in the wallet") { (try? phone.receivedPayments().sorted()) == expected }
  }

  /// The reason in the process's last message, which may be read after its end is noticed.
  private func endingReason(_ phone: TestPhone, _ process: HeldProcess) throws -> String {
    try phone.wait("the process's ending message") { process.count("ending") > 0 }
    return process.messages.last { $0.message.verb == "ending" }?.message["reason"] ?? ""
  }

  @Test(arguments: ["node.sqlite-wal", "node.sqlite-shm"], [Damage.removed, .renamed, .replaced, .emptied])
  func `An app whose SQLite log or index is damaged ends with code 74 and loses no settled payment`(
    name: String, damage: Damage
  ) throws {
    let phone = try TestPhone()
    let (app, invoices) = try connectedApp(phone)
    try phone.receive(invoices[0])
    // Until the next beat checkpoints the log, truncating it loses the newest commits.
    try phone.wait("the payment to lie in the database itself") {
      (try? phone.isSettledOnDisk(invoices[0])) == true
    }
    damage.apply("\(phone.home)/AppGroup/\(name)")
    try phone.pay(invoices[1])
    try phone.wait("the app's end") { app.hasEnded }
    expect(app.end?.how, is: .exited(code: 74))
    let words = try endingReason(phone, app)
    #expect(words.contains("/AppGroup/\(name) was "))
    #expect(words.contains("restart this process"))
    try goesOn(phone, paid: invoices[0], unpaid: invoices[1])
  }

  @Test
  func `An app whose container is moved away ends; after the container is moved back, the wallet works`()
    throws
  {
    let phone = try TestPhone()
    let (app, invoices) = try connectedApp(phone)
    let group = "\(phone.home)/AppGroup"
    rename(group, "\(group)-away")
    // The extension finds no container and creates one.
    let (notifier, _) = try phone.pushToExtension()
    try phone.pay(invoices[0])
    try phone.wait("the app's end") { app.hasEnded }
    expect(app.end?.how, is: .exited(code: 74))
    #expect(
      try endingReason(phone, app).hasPrefix(
        "\(group) was replaced or removed while it was open; restore it"))
    try phone.wait("the push to be answered") { notifier.count("finished") == 1 }
    #expect(notifier.statuses.contains(Status.usedByAnotherDevice.text) || notifier.count("content") == 1)
    try phone.kill(notifier)
    #expect(try phone.receivedPayments().isEmpty)

    try FileManager.default.removeItem(atPath: group)
    rename("\(group)-away", group)
    try goesOn(phone, paid: invoices[0], unpaid: invoices[1])
  }
}

/// A phone with the wallet whose extension only notifies: all four programs, as `baton up` starts them.
final class CompletingPhone: BatonPhone {
  private let starter: PhoneStarter.Options

  init(holdSeconds: Int = 600, _ iosdOptions: [String] = [], lspd: [String] = []) throws {
    var options = PhoneStarter.Options(
      lspdArguments: ["--hold-seconds", "\(holdSeconds)"] + lspd,
      iosdArguments: iosdOptions + PhoneProcess.liftedLimit)
    options.wallet = .bitkit
    starter = options
    super.init()
    _ = try PhoneStarter(phone: phone, options: starter).start()
  }

  /// Another iosd on the same phone: the peer goes on.
  func restartPhone() throws {
    try phone.ask(.iosd, ControlMessage("down"))
    try Wait.until("iosd has ended") { !phone.answers(.iosd) }
    _ = try PhoneStarter(phone: phone, options: starter).start()
  }

  /// lspd is killed; after `meanwhile` another one continues from its ledger.
  func restartPeer(_ meanwhile: () throws -> Void) throws {
    kill(try #require(DaemonProbe.pid(listeningOn: phone.lspdSocket)), SIGKILL)
    try Wait.until("lspd has ended") { DaemonProbe.pid(listeningOn: phone.lspdSocket) == nil }
    try meanwhile()
    _ = try PhoneStarter(phone: phone, options: starter).start()
  }

  func baton(_ arguments: String...) throws -> Started.Ran { try baton(arguments) }

  // MARK: The user

  /// Opens the app, has it make an invoice, and kills it: the phone may wake it again.
  func invoice(sats: Int = 5000) throws -> String { try invoices([sats])[0] }

  func invoices(_ amounts: [Int]) throws -> [String] {
    _ = try baton("app", "open")
    let invoices = try amounts.map {
      try baton("invoice", "\($0)").output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
    try waitUntilConnected()
    try quit()
    return invoices
  }

  func quit() throws {
    _ = try baton("app", "quit")
    try Wait.until("the app has ended") { try phone.facts().app.state == "not running" }
  }

  /// The app has registered its key with the peer, which seals pushes to it from now on.
  func waitUntilConnected() throws {
    try Wait.until("the app is connected") { try phone.facts().app.status?["code"] == "connected" }
  }

  /// The app is closed, and the payment held and announced.
  func announce(_ invoice: String) throws -> UInt64 {
    let before = try phone.notifications().last?.id
    expect(try baton("pay", invoice, "--no-wait").code, is: 0)
    try Wait.until("the payment is announced") { try phone.notifications().last?.id != before }
    try waitUntilStored()
    return try #require(try phone.notifications().last?.id)
  }

  /// The text does not wait for a slow disk.
  func waitUntilStored() throws {
    try Wait.until("the payment's record is stored") { (try? store.all())?.isEmpty == false }
  }

  func tap(_ notification: UInt64) throws { _ = try baton("app", "tap", "\(notification)") }

  func screen() throws -> [String: Any] {
    let ran = try baton("app", "screen", "--json")
    return try #require(JSONSerialization.jsonObject(with: Data(ran.output.utf8)) as? [String: Any])
  }

  func waitForState(_ state: String) throws -> [String: Any] {
    var last: [String: Any] = [:]
    do {
      try Wait.until("the screen says \(state)") {
        last = try screen()
        return last["state"] as? String == state
      }
    } catch {
      let said = try journal().filter { $0.contains(#""core":"incoming""#) || $0.contains(#""note""#) }
        .suffix(20)
      throw Wait.Failure(description: "\(error); it shows \(last): \(said.joined(separator: "\n"))")
    }
    return last
  }

  var pasteboard: String? { try? String(contentsOfFile: "\(home)/os/pasteboard", encoding: .utf8) }
  var store: IncomingStore { IncomingStore(container: "\(home)/AppGroup") }

  /// The app is asked nothing: the store is read beside it, which may be in a transaction.
  func waitUntilNothingIsStored() throws {
    try Wait.until("the record is removed") { (try? store.all())?.isEmpty == true }
  }

  // MARK: The app's journal

  /// All lines of the app's newest journal.
  func journal() throws -> [String] {
    let directory = "\(home)/journal"
    let names = try FileManager.default.contentsOfDirectory(atPath: directory).filter {
      $0.contains("-mainappd-")
    }
    let newest = try #require(names.max())
    return try String(contentsOfFile: "\(directory)/\(newest)", encoding: .utf8).split(separator: "\n").map(
      String.init)
  }

  /// The steps of the opening, in their order.
  func steps() throws -> [String] {
    try journal().filter { $0.contains(#""core":"opening""#) }.flatMap { line in
      line.components(separatedBy: #"{"enter":{"_0":""#).dropFirst().map { String($0.prefix { $0 != "\"" }) }
    }
  }

  /// The states of the screen, in their order.
  func states() throws -> [String] {
    try journal().filter { $0.contains(#""core":"incoming""#) }.flatMap { line in
      ["connecting", "completing", "completed", "expired"].filter {
        line.contains(#"{"show":{"_0":{"incoming":{"_0":{"\#($0)""#)
      }
    }
  }

  func count(_ words: String) throws -> Int { try journal().count { $0.contains(words) } }
}

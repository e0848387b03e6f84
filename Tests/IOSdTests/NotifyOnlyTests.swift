import Platform
import Ground
import Guardrails
import PhonePolicy

@testable import IOSd

/// The real extension that has no node, on a real iosd.
@Suite("The extension that only notifies, on the real phone", .serialized, .waits) struct NotifyOnlyTests {
  private static let unreadable = "Open Bitkit to check for new activity"
  private static let held = "Open now to receive - funds are being held"

  private func phone(_ pushes: SealedPushes?, _ options: [String] = []) throws -> PhoneProcess {
    let phone = try PhoneProcess(
      ext: "\(Started.directory)/notifyonlyd", ["--wallet", "bitkit"] + options)
    if let pushes { try keep(pushes.keyBytes, phone) }
    return phone
  }

  private func keep(_ key: [UInt8], _ phone: PhoneProcess) throws { try phone.keepPushKey(key) }

  private func store(_ phone: PhoneProcess) -> IncomingStore {
    IncomingStore(container: "\(phone.home)/AppGroup")
  }

  /// The processes of the extension, each with how it ended.
  private func ends(_ phone: PhoneProcess) throws -> [String] {
    try phone.rows("ps").filter { $0["role"] as? String == "extension" }.map {
      "\($0["how"] as? String ?? "runs") \($0["number"] as? Int ?? 0)"
    }
  }

  /// Pushes and waits for the notification.
  private func tell(_ payload: String, _ count: Int, _ phone: PhoneProcess) throws -> String? {
    try phone.ask("push", body: payload)
    return try phone.notifications(count).last
  }

  private static let endsWhenIdle = ["--after-content", "run", "--extension-idle", "500ms"]

  private func waitForEnd(_ phone: PhoneProcess) throws {
    try Wait.until("the extension has ended") { try !ends(phone).contains { $0.hasPrefix("runs") } }
  }

  /// Ends a suspended extension, too.
  private func reboot(_ phone: PhoneProcess) throws {
    try phone.ask("reboot")
    try waitForEnd(phone)
  }

  @Test(.shows("B-1.1.A3", "G-3"))
  func `Corrupt in any way, a push has one sensible notification, and exit code 0`()
    throws
  {
    var pushes = SealedPushes(seed: 1)
    let phone = try phone(pushes, Self.endsWhenIdle)
    var count = 0
    for (name, text) in pushes.corrupt() {
      count += 1
      expect(try tell(text, count, phone), is: Self.unreadable, "\(name)")
    }
    expect(try phone.rows("notifications").count, is: count)
    expect(try store(phone).all(), is: [])
    try waitForEnd(phone)
    expect(try ends(phone), is: ["exited 0"])
  }

  @Test(.shows("K-14", "B-1.1.5", "B-1.1.6"))
  func `The text replaces the server's, and the payment is stored with its hold and not as received`()
    throws
  {
    var pushes = SealedPushes(seed: 2)
    let phone = try phone(pushes)
    let held = pushes.announcement()
    let free = pushes.announcement(isHeld: false)
    expect(try tell(pushes.push(held), 1, phone), is: Self.held)
    expect(try tell(pushes.push(free), 2, phone), is: "Open Bitkit to receive")
    expect(try store(phone).all().map(\.record), is: [held.record, free.record].compactMap { $0 })
    let row = try #require(try phone.rows("notifications").first)
    #expect(row["title"] as? String == "Payment Incoming" && row["level"] as? String == "time-sensitive")
    #expect(row["category"] as? String == "INCOMING_PAYMENT" && row["sound"] as? String == "default")
  }

  @Test(.shows("G-7")) func `The same push twice has two texts and one record`() throws {
    var pushes = SealedPushes(seed: 3)
    let phone = try phone(pushes)
    let push = pushes.push(pushes.announcement())
    for count in 1...2 { expect(try tell(push, count, phone), is: Self.held) }
    expect(try store(phone).all().count, is: 1)
  }

  @Test(.shows("B-1.1.A3", "K-42"))
  func
    `Without a key, and before the first unlock, a push has its text, and its record when the key is there`()
    throws
  {
    var pushes = SealedPushes(seed: 5)
    let phone = try phone(nil, Self.endsWhenIdle)
    let early = pushes.announcement()
    let later = pushes.announcement()
    let push = pushes.push(later)
    expect(try tell(pushes.push(early), 1, phone), is: Self.unreadable)
    #expect(!FileManager.default.fileExists(atPath: store(phone).path))
    // The app was opened for the first time meanwhile; the same process asks again.
    try keep(pushes.keyBytes, phone)
    expect(try tell(push, 2, phone), is: Self.held)
    try waitForEnd(phone)
    expect(Set(try store(phone).all().map(\.record)), is: Set([early, later].compactMap(\.record)))
    try reboot(phone)
    let locked = pushes.announcement()
    expect(try tell(pushes.push(locked), 3, phone), is: Self.unreadable)
    try phone.ask("device", ["locked": "no"])
    expect(try tell(push, 4, phone), is: Self.held)
    try waitForEnd(phone)
    expect(Set(try store(phone).all().map(\.record)), is: Set([early, later, locked].compactMap(\.record)))
    expect(try phone.rows("notifications").count, is: 4)
    expect(try ends(phone), is: ["exited 0", "exited 0"])
  }

  @Test
  func `After the app has replaced its key, the running extension opens the next push with the new one`()
    throws
  {
    var (pushes, others) = (SealedPushes(seed: 14), SealedPushes(seed: 15))
    let phone = try phone(pushes, Self.endsWhenIdle)
    expect(try tell(pushes.push(pushes.announcement()), 1, phone), is: Self.held)
    try keep(others.keyBytes, phone)
    expect(try tell(others.push(others.announcement()), 2, phone), is: Self.held)
    expect(try store(phone).all().count, is: 2)
    try waitForEnd(phone)
    expect(try ends(phone), is: ["exited 0"])
  }

  @Test func `A key of a wrong size is no key, and does not prevent the text`() throws {
    var pushes = SealedPushes(seed: 6)
    let phone = try phone(nil)
    try keep([1, 2, 3], phone)
    expect(try tell(pushes.push(pushes.announcement()), 1, phone), is: Self.unreadable)
  }

  @Test
  func `While another process never ends its transaction, the text comes all the same, without a record`()
    throws
  {
    var pushes = SealedPushes(seed: 7)
    let phone = try phone(pushes)
    let first = pushes.announcement()
    expect(try tell(pushes.push(first), 1, phone), is: Self.held)
    do {
      let other = try Connection(path: store(phone).path, access: .readWrite)
      try other.transaction(.immediate) { () throws -> Void in
        expect(try tell(pushes.push(pushes.announcement()), 2, phone), is: Self.held)
      }
    }
    expect(try store(phone).all().map(\.record), is: [first.record])
  }

  @Test
  func
    `Warned that its time will expire, the extension delivers the text at once, although its store is blocked`()
    throws
  {
    var pushes = SealedPushes(seed: 10)
    // Warned after 100 ms, before it gives up the record by itself; killed long after that, however slow the machine.
    let phone = try phone(pushes, ["--extension-time", "30s", "--expiry-notice", "29900ms"])
    let earlier = try #require(pushes.announcement().record)
    try store(phone).add(earlier, arrivedAt: 0)
    let other = try Connection(path: store(phone).path, access: .readWrite)
    try other.transaction(.immediate) { () throws -> Void in
      expect(try tell(pushes.push(pushes.announcement()), 1, phone), is: Self.held)
    }
    #expect(phone.journal(of: "notifyonlyd").contains(#"{"finished":{"push":1,"_1":"time-will-expire"}}"#))
  }

  /// A script that starts the extension with faults.
  private func faulty(_ options: String) throws -> String {
    let script = NSTemporaryDirectory() + "/baton-slow-\(UUID().uuidString)"
    try "#!/bin/sh\nexec '\(Started.directory)/notifyonlyd' \(options) \"$@\"\n"
      .write(toFile: script, atomically: true, encoding: .utf8)
    chmod(script, 0o700)
    return script
  }

  @Test(.shows("B-1.1.A1"))
  func `On a disk that takes 3 s for a record each push has its text in time, and later its record`()
    throws
  {
    var pushes = SealedPushes(seed: 13)
    let script = try faulty("--fault-store-delay 3s")
    defer { try? FileManager.default.removeItem(atPath: script) }
    // Otherwise the phone suspends the process after its text, and the write goes on with the next push.
    let phone = try PhoneProcess(ext: script, ["--wallet", "bitkit", "--after-content", "run"])
    try keep(pushes.keyBytes, phone)
    let announcements = [pushes.announcement(), pushes.announcement()]
    for (index, announcement) in announcements.enumerated() {
      expect(try tell(pushes.push(announcement), index + 1, phone), is: Self.held)
      expect(try store(phone).all(), is: [])
    }
    // Without a look at the store: a reader may block the write, and a record that comes after its text is not written
    // twice.
    try Wait.until("both records are stored") {
      phone.journal(of: "notifyonlyd").components(separatedBy: #"{"incomingStored":{"push":"#).count == 3
    }
    expect(try store(phone).all().map(\.record), is: announcements.compactMap(\.record))
  }

  @Test(.shows("B-1.1.A1"))
  func `With random delays of keychain and opening no push waits for the end of its time`() throws {
    var pushes = SealedPushes(seed: 8)
    let script = try faulty("--fault-keychain-delay 400ms --fault-open-delay 30ms")
    defer { try? FileManager.default.removeItem(atPath: script) }
    let phone = try PhoneProcess(ext: script, ["--wallet", "bitkit"])
    try keep(pushes.keyBytes, phone)
    for count in 1...30 {
      let body = try tell(pushes.push(pushes.announcement()), count, phone)
      #expect(body == Self.held || body == Self.unreadable)
      // Every third push finds another process, which asks for the key again.
      if count % 3 == 0, let pid = try extensionPid(phone) {
        kill(pid, SIGKILL)
        try waitForEnd(phone)
      }
    }
    let bodies = try phone.rows("notifications").compactMap { $0["body"] as? String }
    #expect(bodies.count == 30 && bodies.contains(Self.held))
    let reasons = try phone.rows("ps").compactMap { $0["reason"] as? String }
    #expect(!reasons.contains { $0.contains("time") }, "\(reasons)")
  }

  /// What the phone lacks while it gets a push. Of each 30 pushes, 5 come while the key is missing, and 5 before the
  /// first unlock.
  private enum Lack {
    case nothing, key, unlocking

    init(_ number: Int) {
      switch number % 30 {
      case 11...15: self = .key
      case 16...20: self = .unlocking
      default: self = .nothing
      }
    }
  }

  /// The push queue is empty. No extension runs afterwards that has the key of before.
  private func bring(_ phone: PhoneProcess, from before: Lack, to lack: Lack, key: [UInt8]) throws {
    let items = try KeychainStore(
      directory: "\(phone.home)/Keychain/items", key: "\(phone.home)/os/keychain.key")
    switch before {
    case .nothing: break
    case .key: try keep(key, phone)
    case .unlocking: try phone.ask("device", ["locked": "no"])
    }
    switch lack {
    case .nothing: break
    case .key: #expect(items.delete(Entitlements.accessGroup, "push-key"))
    case .unlocking: break
    }
    if lack != .nothing { try reboot(phone) }
    if lack == .key { try phone.ask("device", ["locked": "no"]) }
  }

  /// BATON_TOLD sets the number of pushes: 1,000 take a minute.
  @Test(.shows("B-1.1.A1", "B-1.1.A2"))
  func `Killed at random, the extension costs no notification, and never ends but with exit code 0`()
    throws
  {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["BATON_TOLD"].flatMap { Int($0) } ?? 150
    let seed = environment["BATON_SEED"].flatMap { UInt64($0) } ?? 9
    var pushes = SealedPushes(seed: seed)
    var generator = SeededGenerator(seed: seed)
    let corrupt = pushes.corrupt()
    let phone = try phone(pushes, PhoneProcess.isSanitized ? [] : ["--memory-limit", "25165824"])
    let oversized = pushes.push(
      "{\"type\":\"incomingHtlc\",\"payload\":{},\"createdAt\":\"\(String(repeating: "0", count: 3000))\"}")
    #expect(oversized.utf8.count > 4096)
    var lack = Lack.nothing
    var told: [String: Set<String>] = [:]
    var ids: [String] = []
    var hashes: [Bytes32: Int] = [:]
    for number in 1...count {
      let text: String
      let own: String
      if Lack(number) != lack {
        try all(number - 1, phone)
        try bring(phone, from: lack, to: Lack(number), key: pushes.keyBytes)
        lack = Lack(number)
      }
      // APNs delivers no more than 4 KB, and so does the phone.
      if number % 50 == 0 { #expect(throws: (any Error).self) { try phone.ask("push", body: oversized) } }
      if number % 3 == 0 {
        text = generator.pick(corrupt).text
        own = Self.unreadable
      } else {
        let announcement = pushes.announcement(isHeld: generator.chance(50))
        text = pushes.push(announcement)
        own = lack != .nothing ? Self.unreadable : announcement.isHeld ? Self.held : "Open Bitkit to receive"
        if let hash = announcement.paymentHash { hashes[hash] = ids.count }
      }
      let id = try #require(try phone.ask("push", body: text)["id"])
      ids.append(id)
      told[id] = [own, "as it was sent"]
      if generator.chance(40), let pid = try extensionPid(phone) {
        // At any place of its work, from its first instruction on.
        if generator.chance(70) { poll(nil, 0, Int32(generator.below(7))) }
        kill(pid, SIGKILL)
      }
      // iosd keeps 64 pushes for the extension.
      if number % 30 == 0 { try all(number, phone) }
    }
    try all(count, phone)
    let rows = try phone.written("notifications")
    expect(rows.count, is: count, "seed \(seed)")
    expect(Set(rows.compactMap { ($0["push"] as? Int).map { "\($0)" } }), is: Set(ids))
    for row in rows {
      let push = (row["push"] as? Int).map { "\($0)" } ?? ""
      expect(told[push]?.contains(row["body"] as? String ?? ""), is: true, "seed \(seed): push \(push)")
    }
    let own = rows.filter { $0["body"] as? String != "as it was sent" }.count
    #expect(own > count / 3, "\(own) of \(count) by the extension")
    // What was stored is whole, and of a payment that was announced.
    let stored = Set(try store(phone).all().map(\.record.paymentHash))
    #expect(stored.isSubset(of: hashes.keys))
    // What a journal calls stored is there, whatever was killed since; 256 payments stay.
    let acknowledged = phone.storedPushes()
    let lost = hashes.filter { acknowledged.contains(ids[$0.value]) && !stored.contains($0.key) }
    #expect(acknowledged.count > count / 10, "seed \(seed): \(acknowledged.count) stored")
    #expect(lost.isEmpty || stored.count == 256, "seed \(seed): \(lost.values.sorted())")
    try reboot(phone)
    let processes = try phone.written("processes").filter { $0["role"] as? String == "extension" }
    let ends = processes.map { "\($0["how"] as? String ?? "runs") \($0["number"] as? Int ?? 0)" }
    #expect(Set(ends).isSubset(of: ["exited 0", "signalled 9"]), "seed \(seed): \(Set(ends))")
    #expect(ends.contains("signalled 9"))
    let reasons = processes.compactMap { $0["reason"] as? String }
    #expect(!reasons.contains { $0.contains("limit") || $0.contains("0xdead") }, "\(Set(reasons))")
  }

  private func extensionPid(_ phone: PhoneProcess) throws -> pid_t? {
    try phone.rows("ps", all: false).last { $0["role"] as? String == "extension" }.flatMap {
      ($0["pid"] as? Int).map { pid_t($0) }
    }
  }

  private func all(_ count: Int, _ phone: PhoneProcess) throws {
    try Wait.until("\(count) notifications") { try phone.written("notifications").count >= count }
  }
}

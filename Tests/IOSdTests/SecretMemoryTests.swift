/// The key that opens the pushes of a wallet whose extension only notifies.
@Suite("The push key in memory", .serialized, .waits) struct SecretMemoryTests {
  @Test(.disabled(if: getenv("BATON_SANITIZED") != nil, "a sanitizer lets no program lock memory"))
  func `The extension that only notifies has its push key only in pages that are neither swapped nor dumped`()
    throws
  {
    var pushes = SealedPushes(seed: 20)
    let phone = try PhoneProcess(
      ext: "\(Started.directory)/notifyonlyd",
      ["--wallet", "bitkit", "--after-content", "run"])
    try phone.keepPushKey(pushes.keyBytes)
    // The first look is right after the key's arrival, before another message takes its place.
    for count in 1...2 {
      try phone.ask("push", body: pushes.push(pushes.announcement()))
      expect(try phone.notifications(count).last, is: "Open now to receive - funds are being held")
      let row = try #require(try phone.rows("ps").last { $0["role"] as? String == "extension" })
      let pid = try #require(row["pid"] as? Int)
      let places = try MemoryImage.places(of: pushes.keyBytes, in: Int32(pid))
      expect(places.count, is: 1, "\(places)")
      #expect(!places.contains { !$0.isLocked }, "\(places)")
    }
  }
}

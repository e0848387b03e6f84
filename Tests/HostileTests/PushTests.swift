import Guardrails

@Suite("Hostile input: pushes", .serialized, .waits) struct PushTests {
  private static let object = #"{"aps":{"alert":"Hello"}}"#

  @Test func `A file that is not a valid push is refused in one sentence`() throws {
    let phone = try RealPhone()
    let file = "\(phone.home)/push.apns"
    let deep =
      #"{"aps":{"alert":"x"},"x":"# + String(repeating: "[", count: 2000)
      + String(repeating: "]", count: 2000) + "}"
    let cases: [(content: [UInt8], sentence: String)] = [
      ([], #"FILE is empty; write a push such as {"aps": {"alert": "Hello"}}"#),
      (Array("garbage".utf8), "FILE is not JSON on line 1; check its brackets, commas and quotes"),
      (
        Array(Self.object.utf8.dropLast()),
        "FILE is not JSON on line 1; check its brackets, commas and quotes"
      ),
      (
        Array(#"{"aps":{"alert":""#.utf8) + [0xff] + Array(#""}}"#.utf8),
        "FILE is not UTF-8 at its byte 18; save it as UTF-8"
      ),
      (Array(deep.utf8), "FILE is nested deeper than 64 brackets; make it flatter"),
      (
        Array(repeating: 32, count: 4097),
        "FILE is longer than the 4096 bytes that a push may have; shorten it"
      ),
      (Array("[]".utf8), #"FILE is JSON but not an object; write {"aps": {…}, …}"#),
      (Array("{}".utf8), #"FILE has no `aps`; add {"aps": {"alert": …}}"#),
      (Array(#"{"aps":1}"#.utf8), #"`aps` in FILE is not an object; write {"aps": {"alert": …}}"#),
      (
        Array(#"{"aps":{"alert":5}}"#.utf8),
        "the `alert` in FILE has neither title nor body; add one of them, or leave `alert` out"
      ),
      (
        Array(#"{"aps":{"alert":"x"},"Simulator Target Bundle":"com.apple.mobilesafari"}"#.utf8),
        "FILE is for `com.apple.mobilesafari`, and the wallet is com.example.lightning; write this bundle id, or leave `Simulator Target Bundle` out"
      ),
      (
        Array(#"{"aps":{"content-available":1.5}}"#.utf8),
        "`aps` in FILE has no `alert`, no `badge` of 0 or more, no `sound` and no `content-available: 1`; add one of them"
      ),
    ]
    for (content, sentence) in cases {
      try Data(content).write(to: URL(fileURLWithPath: file))
      let ran = try phone.baton(["push", file])
      expect(ran.errors, is: "baton: \(sentence.replacingOccurrences(of: "FILE", with: file))\n")
      expect(ran.code, is: 64)
    }
    expect(mkfifo("\(phone.home)/fifo", 0o600), is: 0)
    for (path, sentence) in [
      ("/dev/zero", "/dev/zero is longer than the 4096 bytes that a push may have; shorten it"),
      (phone.home, "cannot read \(phone.home): it is a directory; a plain file is needed here"),
      (
        "\(phone.home)/none",
        "cannot read \(phone.home)/none: there is no such file or directory; check the path"
      ),
      (
        "\(phone.home)/fifo",
        #"\#(phone.home)/fifo is empty; write a push such as {"aps": {"alert": "Hello"}}"#
      ),
    ] {
      expect(try phone.baton(["push", path]).errors, is: "baton: \(sentence)\n")
    }
  }

  @Test func `A push on standard input is read to its end, however slowly it is written`() throws {
    let phone = try RealPhone()
    let pipe = Pipe()
    let reading = pipe.fileHandleForReading.fileDescriptor
    let bytes = Array(Self.object.utf8)
    try pipe.fileHandleForWriting.write(contentsOf: bytes[..<1])
    expect(Self.bytesWaiting(in: reading), is: 1)
    let state = Locked((takenAlone: 0, isOver: false))
    let writer = Thread {
      // One byte at a time, each written when the one before has been read.
      for next in 1...bytes.count {
        while Self.bytesWaiting(in: reading) == 1, !state.withLock({ $0.isOver }) { poll(nil, 0, 1) }
        guard Self.bytesWaiting(in: reading) == 0 else { break }
        state.withLock { $0.takenAlone += 1 }
        if next < bytes.count { try? pipe.fileHandleForWriting.write(contentsOf: bytes[next...next]) }
      }
      try? pipe.fileHandleForWriting.close()
    }
    writer.start()
    defer { state.withLock { $0.isOver = true } }
    expect(try phone.baton(["push", "-"], input: reading).output, is: "push 1 was delivered to the phone\n")
    expect(state.withLock { $0.takenAlone }, is: bytes.count)
  }

  private static func bytesWaiting(in pipe: Int32) -> Int32 {
    var count: Int32 = 0
    return ioctl(pipe, UInt(FIONREAD), &count) == 0 ? count : -1
  }

  @Test(
    .shows("B-1.1.A3"),
    arguments: [
      "", "garbage", "[]", #"{"reason":5}"#, #"{"reason":"Unheard"}"#, #"{"reason":null}"#,
      String(repeating: "[", count: 4096), String(repeating: #"{"a":"#, count: 800),
      #"{"reason":"IncomingPayment"}"# + String(repeating: " ", count: 4096),
    ])
  func `A push with an unreadable payload gets a notification text, and the node is not claimed`(
    _ payload: String
  ) throws {
    let phone = try TestPhone()
    let notifier = try phone.launchExtension()
    let id = phone.push(notifier, payload)
    try phone.wait("the end of the service") { notifier.message("finished", id: id) != nil }
    expect(notifier.message("finished", id: id)?["reason"], is: FinishReason.unreadablePush.rawValue)
    expect(notifier.message("content", id: id)?["title"]?.isEmpty, is: false)
    #expect(phone.owner == nil)
  }

  @Test(.shows("B-1.1.A2")) func `1,000 pushes in a row get 1,000 texts from an extension below 24 MiB`()
    throws
  {
    let phone = try TestPhone()
    let notifier = try phone.launchExtension()
    for _ in 0..<1000 {
      // The queue holds 64. No faster than both sides read: a side that does not read is disconnected.
      let id = phone.push(notifier)
      if id % 10 == 0 {
        try phone.wait("the extension to keep up") { notifier.count("content") + 100 > id }
      }
    }
    #expect(try RealPhone.footprint(of: notifier.pid) < 24 * 1024 * 1024)
    notifier.send(ControlMessage("terminate"))
    try phone.wait("the extension to end") { notifier.hasEnded }
    expect(notifier.end?.how, is: .exited(code: 0))
    expect(notifier.count("content"), is: 1000)
  }
}

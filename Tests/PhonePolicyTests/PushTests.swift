@testable import PhonePolicy

@Suite struct PushTests {
  @Test(.shows("P-0.1", "K-27")) func `A push with the app in front goes to the app`() {
    var phone = TestPhone()
    phone.openApp()
    expect(
      phone(.pushArrived(TestPhone.alert(1))),
      is: [
        .tell(.app, .push(id: 1, deadlineMilliseconds: 0)), .recordFate(push: 1, .givenToApp),
      ])
    expect(phone.phone.service, is: .notRunning)
  }

  @Test(.shows("K-27"))
  func `With --foreground-pushes extension the extension serves the push, and the app in front gets it too`()
  {
    var phone = TestPhone(PhoneConfiguration { $0.foregroundPushes = .extension })
    phone.openApp()
    expect(phone(.pushArrived(TestPhone.alert(1))), is: [.launch(.extension, .push(1))])
    expect(phone(.processStarted(.extension, pid: 9)), is: [.servePush(1)])
    let forApp = PhoneDirective.tell(.app, .push(id: 1, deadlineMilliseconds: 0))
    expect(phone(.contentDelivered(push: 1, received)), is: [forApp, .showContent(1, received)])
    expect(phone(.serviceFinished(push: 1, reason: "")), is: [])
  }

  @Test(.shows("P-0.1")) func `A push with the app closed or in the background starts the extension`() {
    var phone = TestPhone()
    expect(phone(.pushArrived(TestPhone.alert(1))), is: [.launch(.extension, .push(1))])
    expect(phone(.processStarted(.extension, pid: 9)), is: [.servePush(1)])
    var behind = TestPhone()
    behind.openApp()
    _ = behind(.userWentHome)
    expect(behind(.pushArrived(TestPhone.alert(1))), is: [.launch(.extension, .push(1))])
  }

  @Test func `A push beyond the limit of waiting pushes is shown as it was sent`() {
    var phone = TestPhone()
    phone.serve(1)
    for id in 2...UInt64(1 + Phone.waitingPushesMax) {
      expect(phone(.pushArrived(TestPhone.alert(id))), is: [])
    }
    expect(phone(.pushArrived(TestPhone.alert(1000))), is: [.showOriginal(1000)])
    _ = phone(.contentDelivered(push: 1, received))
    expect(phone(.serviceFinished(push: 1, reason: "done")), is: [.servePush(2)])
    expect(phone(.pushArrived(TestPhone.alert(1001))), is: [])
  }

  @Test
  func
    `A push handed to an ending extension is served by the next process; if that ends too, the alert is shown as sent`()
  {
    var phone = TestPhone()
    phone.serve(1)
    _ = phone(.pushArrived(TestPhone.alert(2)))
    _ = phone(.contentDelivered(push: 1, received))
    expect(phone(.serviceFinished(push: 1, reason: "another process holds the node")), is: [.servePush(2)])
    expect(
      phone(.processEnded(.extension, .exited(code: 0))),
      is: [
        .recordEnd(.extension, .ended), .launch(.extension, .push(2)),
      ])
    expect(phone(.processStarted(.extension, pid: 10)), is: [.servePush(2)])
    // If the next extension also ends at its first push, the alert is shown as it was sent.
    expect(
      phone(.processEnded(.extension, .exited(code: 0))),
      is: [
        .recordEnd(.extension, .ended), .showOriginal(2),
      ])
  }

  @Test func `An alert without mutable-content is shown as it is`() {
    var phone = TestPhone()
    expect(phone(.pushArrived(TestPhone.alert(1, mutable: false))), is: [.showOriginal(1)])
  }

  /// Under the key of a local notification, so that a later one about the same payment can replace it.
  @Test func `A notification with the extension's content can be withdrawn by its key`() {
    var phone = TestPhone()
    phone.serve(1)
    let shown = PhoneNotification(push: 1, source: .content, received, key: "aa")
    #expect(phone(.contentDelivered(push: 1, received, key: "aa")).contains(.show(shown)))
    expect(phone(.notificationWithdrawn(key: "aa")), is: [.withdraw(key: "aa")])
  }

  @Test func `The extension's text is shown once, and a second delivery for the push is refused`() {
    var phone = TestPhone()
    phone.serve(1)
    expect(phone(.contentDelivered(push: 1, received)), is: [.showContent(1, received)])
    expect(phone(.contentDelivered(push: 1, received)), is: [.refuseContent(push: 1)])
    expect(phone(.contentDelivered(push: 7, received)), is: [.refuseContent(push: 7)])
    expect(phone(.serviceFinished(push: 1, reason: "")), is: [])
    expect(phone(.contentDelivered(push: 1, received)), is: [.refuseContent(push: 1)])
  }

  @Test func `One extension process serves several pushes one after the other`() {
    var phone = TestPhone()
    phone.serve(1)
    expect(phone(.pushArrived(TestPhone.alert(2))), is: [])
    expect(phone(.pushArrived(TestPhone.alert(3))), is: [])
    _ = phone(.contentDelivered(push: 1, received))
    // It has delivered and is tearing down: the next push waits until it has finished.
    expect(phone.phone.service.word, is: "finishing")
    expect(phone(.serviceFinished(push: 1, reason: "done")), is: [.servePush(2)])
    expect(phone(.serviceFinished(push: 1, reason: "again")), is: [])
    _ = phone(.contentDelivered(push: 2, received))
    expect(phone(.serviceFinished(push: 2, reason: "done")), is: [.servePush(3)])
  }

  @Test func `If the extension finishes a push without content, the original alert is shown`() {
    var phone = TestPhone()
    phone.serve(1)
    expect(phone(.serviceFinished(push: 1, reason: "forgot")), is: [.showOriginal(1)])
    expect(phone.phone.service, is: .idle(since: phone.now))
  }

  @Test
  func
    `If the extension dies during a push, the push's original alert is shown, and the next push gets a new process`()
  {
    var phone = TestPhone()
    phone.serve(1)
    _ = phone(.pushArrived(TestPhone.alert(2)))
    expect(
      phone(.processEnded(.extension, .signalled(11))),
      is: [
        .recordEnd(.extension, .crashed(.signalled(11))), .showOriginal(1),
        .launch(.extension, .push(2)),
      ])
    expect(phone(.processStarted(.extension, pid: 10)), is: [.servePush(2)])
  }

  @Test func `If the extension dies after it has delivered content, nothing more is shown`() {
    var phone = TestPhone()
    phone.serve(1)
    _ = phone(.contentDelivered(push: 1, received))
    expect(phone(.processEnded(.extension, .exited(code: 0))), is: [.recordEnd(.extension, .ended)])
  }

  @Test func `Each failed launch of the extension shows one push as it was sent`() {
    var phone = TestPhone()
    _ = phone(.pushArrived(TestPhone.alert(1)))
    _ = phone(.pushArrived(TestPhone.alert(2)))
    expect(
      phone(.launchFailed(.extension, sentence: "no")), is: [.showOriginal(1), .launch(.extension, .push(2))])
    expect(phone(.launchFailed(.extension, sentence: "no")), is: [.showOriginal(2)])
    expect(phone.phone.service, is: .notRunning)
  }

  @Test(.shows("B-0.2", "P-0.2", "K-26")) func `The extension is warned at 29.5 s and killed at 30 s`() {
    var phone = TestPhone()
    phone.serve(1)
    let start = phone.now
    expect(phone(.deadlineReached), is: [])
    expect(phone.passToDeadline(), is: [.tell(.extension, .timeWillExpire(push: 1))])
    expect(phone.now, is: start + .milliseconds(29_500))
    expect(phone.passToDeadline(), is: [.kill(.extension, .time(limitMilliseconds: 30_000))])
    expect(phone.now, is: start + .seconds(30))
    expect(
      phone(.processEnded(.extension, .signalled(9))),
      is: [.recordEnd(.extension, .killed(.time(limitMilliseconds: 30_000))), .showOriginal(1)])
  }

  @Test func `An extension that has delivered gets no warning, but is still killed at 30 s`() {
    var phone = TestPhone()
    phone.serve(1)
    let start = phone.now
    _ = phone(.contentDelivered(push: 1, received))
    expect(phone.passToDeadline(), is: [.kill(.extension, .time(limitMilliseconds: 30_000))])
    expect(phone.now, is: start + .seconds(30))
    expect(phone(.processEnded(.extension, .signalled(9))).count, is: 1)
  }

  @Test func `Content that the extension sent before it was killed is shown`() {
    var phone = TestPhone()
    phone.serve(1)
    _ = phone.passToDeadline()
    _ = phone.passToDeadline()
    expect(phone(.contentDelivered(push: 1, received)), is: [.showContent(1, received)])
    expect(
      phone(.processEnded(.extension, .signalled(9))),
      is: [.recordEnd(.extension, .killed(.time(limitMilliseconds: 30_000)))])
  }

  @Test func `Each push has 30 s of its own`() {
    var phone = TestPhone()
    phone.serve(1)
    phone.now = phone.now + .seconds(29)
    _ = phone(.contentDelivered(push: 1, received))
    _ = phone(.pushArrived(TestPhone.alert(2)))
    _ = phone(.serviceFinished(push: 1, reason: ""))
    expect(phone.phone.deadline, is: phone.now + .milliseconds(29_500))
  }

  @Test(.shows("B-0.1", "P-0.2")) func `One byte above 24 MB kills the extension`() {
    var phone = TestPhone()
    phone.serve(1)
    let limit: UInt64 = 25_165_824
    expect(phone(.memorySampled(.extension, footprintBytes: limit, residentBytes: limit)), is: [])
    let reason = EndReason.memory(footprintBytes: limit + 1, limitBytes: limit)
    expect(
      phone(.memorySampled(.extension, footprintBytes: limit + 1, residentBytes: limit)),
      is: [.kill(.extension, reason)])
    expect(phone(.memorySampled(.extension, footprintBytes: .max, residentBytes: limit)), is: [])
    expect(
      phone(.processEnded(.extension, .signalled(9))),
      is: [.recordEnd(.extension, .killed(reason)), .showOriginal(1)])
    #expect(reason.description.hasPrefix("exceeded mem limit: ActiveHard 24 MB (fatal)"))
  }

  @Test func `An extension that the kernel killed at the memory limit is recorded as killed for memory`() {
    var phone = TestPhone()
    phone.serve(1)
    let limit: UInt64 = 25_165_824
    expect(phone(.memoryLimitEnforced(.extension, usedBytes: limit)), is: [])
    let reason = EndReason.memory(footprintBytes: limit, limitBytes: limit)
    expect(
      phone(.processEnded(.extension, .signalled(9))),
      is: [.recordEnd(.extension, .killed(reason)), .showOriginal(1)])
  }

  @Test
  func `An extension killed for its time is recorded so even if the kernel then reports a kill for memory`() {
    var phone = TestPhone()
    phone.serve(1)
    _ = phone.passToDeadline()
    let reason = EndReason.time(limitMilliseconds: 30_000)
    expect(phone.passToDeadline(), is: [.kill(.extension, reason)])
    expect(phone(.memoryLimitEnforced(.extension, usedBytes: 1)), is: [])
    expect(
      phone(.processEnded(.extension, .signalled(9))),
      is: [.recordEnd(.extension, .killed(reason)), .showOriginal(1)])
  }

  @Test func `The app has no memory limit, only a warning`() {
    var phone = TestPhone()
    expect(phone(.memoryLimitEnforced(.app, usedBytes: .max)), is: [])
    phone.openApp()
    let warning = PhoneDirective.tell(.app, .memoryWarning(footprintBytes: .max))
    expect(phone(.memorySampled(.app, footprintBytes: .max, residentBytes: .max)), is: [warning])
    expect(phone.phone.app, is: .foreground)
  }

  @Test func `In a debug build neither time nor memory ends the extension`() {
    var phone = TestPhone(PhoneConfiguration { $0.enforcesLimits = false })
    phone.serve(1)
    #expect(phone.phone.deadline == nil)
    expect(phone(.memorySampled(.extension, footprintBytes: .max, residentBytes: .max)), is: [])
  }

  @Test func `An idle extension is asked to end after a minute`() {
    var phone = TestPhone()
    phone.serve(1)
    _ = phone(.contentDelivered(push: 1, received))
    _ = phone(.serviceFinished(push: 1, reason: ""))
    let start = phone.now
    expect(phone.passToDeadline(), is: [.tell(.extension, .terminate)])
    expect(phone.now, is: start + .seconds(60))
    // A push that comes now waits for this process's end and gets a new process.
    expect(phone(.pushArrived(TestPhone.alert(2))), is: [])
    expect(
      phone(.processEnded(.extension, .exited(code: 0))),
      is: [.recordEnd(.extension, .endedAsAsked), .launch(.extension, .push(2))])
  }

  @Test func `An idle extension takes the next push without a new process`() {
    var phone = TestPhone()
    phone.serve(1)
    _ = phone(.serviceFinished(push: 1, reason: ""))
    expect(phone(.pushArrived(TestPhone.alert(2))), is: [.servePush(2)])
  }

  @Test func `A local notification is shown`() {
    var phone = TestPhone()
    expect(
      phone(.notificationPosted(received, key: nil)),
      is: [.show(PhoneNotification(push: nil, source: .local, received))])
  }
}

@Suite("A push's payload") struct PushPayloadTests {
  private func payload(_ flag: String, _ value: String) throws -> PushPayload {
    try PushPayload(Array(#"{"aps":{"alert":"x","\#(flag)":\#(value)}}"#.utf8))
  }

  @Test(arguments: ["1", "true", "1.0"]) func `A flag in a push's payload is set by 1 and by true`(
    value: String
  ) throws {
    #expect(try payload("mutable-content", value).push(1).hasMutableContent)
    #expect(try payload("content-available", value).waking(2, of: 1) != nil)
  }

  @Test(arguments: ["0", "false", "2", "1.5", "-1", "\"1\"", "null", "[1]"])
  func `A flag in a push's payload is not set by a value other than 1 and true`(value: String) throws {
    #expect(try !payload("mutable-content", value).push(1).hasMutableContent)
    #expect(try payload("content-available", value).waking(2, of: 1) == nil)
    #expect(throws: PushPayloadError.nothingToDo) {
      try PushPayload(Array(#"{"aps":{"content-available":\#(value)}}"#.utf8))
    }
  }

  @Test(
    arguments: [
      (#""badge":5"#, BadgeAndSound(badge: 5)), (#""badge":0"#, BadgeAndSound(badge: 0)),
      (#""sound":"default""#, BadgeAndSound(sound: "default")),
      (
        #""badge":3,"sound":{"name":"coin","critical":1}"#,
        BadgeAndSound(badge: 3, sound: "coin", level: .critical)
      ),
      (#""badge":-1,"sound":"coin""#, BadgeAndSound(sound: "coin")),
      (
        #""badge":5,"mutable-content":1,"interruption-level":"time-sensitive""#,
        BadgeAndSound(badge: 5, level: .timeSensitive)
      ),
    ])
  func `A push with a badge or a sound and no alert is parsed; an invalid badge number is ignored`(
    aps: String, expected: BadgeAndSound
  ) throws {
    let payload = try PushPayload(Array("{\"aps\":{\(aps)}}".utf8))
    let push = payload.push(1)
    #expect(push.badgeAndSound == expected && push.alert == nil && payload.waking(2, of: 1) == nil)
    // Beside an alert they belong to the notification.
    let alert = try PushPayload(Array("{\"aps\":{\(aps),\"alert\":\"x\"}}".utf8)).push(1)
    #expect(alert.badgeAndSound == nil)
    #expect(alert.alert?.badge == expected.badge && alert.alert?.sound == expected.sound)
    // A badge that also wakes the app makes two pushes, as an alert does.
    let both = try PushPayload(Array("{\"aps\":{\(aps),\"content-available\":1}}".utf8))
    expect(both.push(1).badgeAndSound, is: expected)
    #expect(try #require(both.waking(2, of: 1)).badgeAndSound == nil)
  }

  @Test(
    arguments: [
      "", #""badge":-1"#, #""badge":1.5"#, #""badge":"5""#, #""badge":null"#, #""badge":1e30"#,
      #""sound":"" "#, #""sound":{}"#, #""sound":5"#, #""mutable-content":1"#,
    ])
  func `A push's payload without alert, valid badge, sound or content-available is refused`(aps: String) {
    #expect(throws: PushPayloadError.nothingToDo) { try PushPayload(Array("{\"aps\":{\(aps)}}".utf8)) }
  }
}

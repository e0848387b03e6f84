import PhonePolicy
import Testing

@Suite("A push's payload") struct PushPayloadTests {
  private func payload(_ flag: String, _ value: String) throws -> PushPayload {
    try PushPayload(Array(#"{"aps":{"alert":"x","\#(flag)":\#(value)}}"#.utf8))
  }

  @Test(arguments: ["1", "true", "1.0"]) func `A flag in a push's payload is set by 1 and by true`(
    value: String
  ) throws {
    #expect(try payload("mutable-content", value).hasMutableContent)
    #expect(try payload("content-available", value).waking != nil)
  }

  @Test(arguments: ["0", "false", "2", "1.5", "-1", "\"1\"", "null", "[1]"])
  func `A flag in a push's payload is not set by a value other than 1 and true`(value: String) throws {
    #expect(try !payload("mutable-content", value).hasMutableContent)
    #expect(try payload("content-available", value).waking == nil)
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
    let push = try PushPayload(Array("{\"aps\":{\(aps)}}".utf8))
    #expect(push.badgeAndSound == expected && push.alert == nil && push.waking == nil)
    // Beside an alert they belong to the notification.
    let alert = try PushPayload(Array("{\"aps\":{\(aps),\"alert\":\"x\"}}".utf8))
    #expect(alert.badgeAndSound == nil)
    #expect(alert.alert?.badge == expected.badge && alert.alert?.sound == expected.sound)
    // A badge that also wakes the app makes two pushes, as an alert does.
    let both = try PushPayload(Array("{\"aps\":{\(aps),\"content-available\":1}}".utf8))
    #expect(both.badgeAndSound == expected)
    #expect(try #require(both.waking).badgeAndSound == nil)
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

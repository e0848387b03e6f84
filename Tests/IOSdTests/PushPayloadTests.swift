import Testing

@testable import IOSd

@Suite("What the phone reads of a push") struct PushPayloadTests {
  private func payload(_ flag: String, _ value: String) throws -> PushPayload {
    try PushPayload(Array(#"{"aps":{"alert":"x","\#(flag)":\#(value)}}"#.utf8))
  }

  @Test("A flag is set by 1 and by true", arguments: ["1", "true", "1.0"]) func set(value: String) throws {
    #expect(try payload("mutable-content", value).hasMutableContent)
    #expect(try payload("content-available", value).waking != nil)
  }

  @Test(
    "A flag is not set by any other value",
    arguments: ["0", "false", "2", "1.5", "-1", "\"1\"", "null", "[1]"])
  func unset(value: String) throws {
    #expect(try !payload("mutable-content", value).hasMutableContent)
    #expect(try payload("content-available", value).waking == nil)
    #expect(throws: PushPayloadError.neitherAlertNorSilent) {
      try PushPayload(Array(#"{"aps":{"content-available":\#(value)}}"#.utf8))
    }
  }
}

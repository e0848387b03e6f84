import Lightning

@Suite("Forwarding hint") struct ForwardingHintTests {
  private func read(_ text: String) throws(ForwardingHintError) -> ForwardingHint {
    try ForwardingHint(parsing: Array(text.utf8))
  }

  private func refusal(_ text: String) -> ForwardingHintError? {
    do throws(ForwardingHintError) {
      _ = try read(text)
      return nil
    } catch { return error }
  }

  @Test(.shows("K-11")) func `Each hint and reason is written with the wire's word, and read back`() throws {
    let hints = ["retry_now", "retry_later", "do_not_retry"]
    let reasons = ["disconnected", "insufficient_liquidity", "recipient_channel_disabled", "unknown"]
    expect(ForwardingHint.Advice.allCases.map(\.rawValue), is: hints)
    expect(ForwardingHint.Reason.allCases.map(\.rawValue), is: reasons)
    for hint in ForwardingHint.Advice.allCases {
      for reason in ForwardingHint.Reason.allCases {
        for delay in [nil, 0, 1000, UInt64.max] {
          let written = ForwardingHint(hint, reason, recommendedDelayMs: delay)
          expect(try read(written.value.json), is: written)
        }
      }
    }
    expect(
      ForwardingHint(.retryNow, .disconnected, recommendedDelayMs: 1000).value.json,
      is: #"{"hint":"retry_now","reason":"disconnected","recommended_delay_ms":1000}"#)
  }

  @Test func `A hint without a delay, and one with a null delay, leave the delay to the sender`() throws {
    let expected = ForwardingHint(.retryLater, .unknown)
    expect(try read(#"{"hint":"retry_later","reason":"unknown"}"#), is: expected)
    expect(try read(#"{"hint":"retry_later","reason":"unknown","recommended_delay_ms":null}"#), is: expected)
  }

  @Test func `Members in another order and unknown members change nothing`() throws {
    let read = try read(
      #" { "more" : [1, {}], "recommended_delay_ms":1000000000000, "reason":"unknown","hint":"retry_now" } "#)
    expect(read, is: ForwardingHint(.retryNow, .unknown, recommendedDelayMs: 1_000_000_000_000))
  }

  @Test(arguments: [
    ("", ForwardingHintError.noJSON), ("retry_now", .noJSON),
    (#"{"hint":"retry_now","reason":"unknown"} x"#, .noJSON),
    (#"{"hint":"retry_now","hint":"retry_now","reason":"unknown"}"#, .noJSON),
    ("[]", .noObject), (#""retry_now""#, .noObject), ("null", .noObject), ("{}", .missing("hint")),
    (#"{"hint":"retry_now"}"#, .missing("reason")), (#"{"reason":"unknown"}"#, .missing("hint")),
    (#"{"hint":null,"reason":"unknown"}"#, .missing("hint")),
    (#"{"hint":"retryNow","reason":"unknown"}"#, .unknownWord("hint")),
    (#"{"hint":"RETRY_NOW","reason":"unknown"}"#, .unknownWord("hint")),
    (#"{"hint":1,"reason":"unknown"}"#, .unknownWord("hint")),
    (#"{"hint":"retry_now","reason":"asleep"}"#, .unknownWord("reason")),
    (#"{"hint":"retry_now","reason":["unknown"]}"#, .unknownWord("reason")),
    (#"{"hint":"retry_now","reason":"unknown","recommended_delay_ms":"1000"}"#, .badDelay),
    (#"{"hint":"retry_now","reason":"unknown","recommended_delay_ms":-1}"#, .badDelay),
    (#"{"hint":"retry_now","reason":"unknown","recommended_delay_ms":1.5}"#, .badDelay),
    (#"{"hint":"retry_now","reason":"unknown","recommended_delay_ms":1e3}"#, .badDelay),
    (#"{"hint":"retry_now","reason":"unknown","recommended_delay_ms":18446744073709551616}"#, .badDelay),
  ]) func `A document that is no hint is refused with its reason`(
    text: String, reason: ForwardingHintError
  ) {
    expect(refusal(text), is: reason)
    #expect(!reason.description.isEmpty)
  }
}

import Lightning
import Testing

@Suite struct SenderMessageTests {
  private func message(_ failure: FailureClass, _ end: SenderFailure.End = .noMoreAttempts) -> SenderMessage {
    SenderMessage(SenderFailure(failure: failure, code: nil, attempts: 4, end: end))
  }

  @Test func `B-1.7.7.1, B-1.7.7.2 Without a route the message has the words of the plan`() {
    let shown = message(.routeNotFound)
    #expect(shown.headline == "Route Not Found")
    #expect(shown.text == "Recipient may need to open their wallet to receive. Try again in a few seconds.")
    #expect(shown.button == "Retry Now")
  }

  @Test func `B-1.7.7.4 The message has a warning sign in orange, by name`() {
    #expect(message(.routeNotFound).symbol == "exclamationmark.triangle")
    #expect(message(.routeNotFound).colour == "orange")
  }

  @Test func `K-8 Each class has a headline of its own, and only what may pass has a button`() {
    let shown = FailureClass.allCases.map { message($0) }
    #expect(Set(shown.map(\.headline)).count == FailureClass.allCases.count)
    #expect(Set(shown.map(\.text)).count == FailureClass.allCases.count)
    for failure in FailureClass.allCases { #expect((message(failure).button != nil) == failure.mayPass) }
  }

  @Test func `G-2 Where a hint ends the payment its reason gives the advice, under the error's headline`() {
    let reasons = ForwardingHint.Reason.allCases
    let shown = reasons.map { message(.temporaryChannelFailure, .hint(ForwardingHint(.doNotRetry, $0))) }
    #expect(Set(shown.map(\.headline)) == [message(.temporaryChannelFailure).headline])
    #expect(Set(shown.map(\.text)).count == reasons.count)
    for text in shown.map(\.text) { #expect(text.contains("Ask") || text.contains("ask")) }
    // The peer advises against another attempt: no button offers one.
    #expect(shown.allSatisfy { $0.button == nil })
    #expect(
      message(.temporaryChannelFailure, .hint(ForwardingHint(.retryLater, .disconnected))).button != nil)
  }

  @Test func `Each cause of a retry is one clause`() {
    let hint = ForwardingHint(.retryNow, .disconnected, recommendedDelayMs: 1000)
    #expect(SenderRetry.Cause.hint(hint).description == "the peer says retry_now")
    #expect(SenderRetry.Cause.schedule.description == "the failure may pass")
    #expect(
      SenderRetry.Cause.noHint(.refused(status: 500)).description
        == "the server of hints answered with status 500")
  }
}

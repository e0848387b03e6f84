import Ground
import Heartbeat
import Testing

@testable import Guardrails

/// Phoenix's text on guardrail #2; numbers are its lines.
@Suite("Seed sentences: guardrail #2, presence") struct PresenceSentenceTests {
  private let intent = GuardEvent.presenceHeard(PresenceMessage(code: .appPing, wantsNode: true))

  @Test func `95: each process 'knows when the mainApp is active, and vice-versa'`() {
    var app = Process<AppMachine>()
    var notifier = Process<ExtensionMachine>.dialling(8)
    #expect(app.hears(.launched).contains(.say(PresenceMessage(code: .appPing))))
    let pong = notifier.hears(.presenceHeard(PresenceMessage(code: .appPing)))
    #expect(pong == [.say(PresenceMessage(code: .extensionPong, wantsNode: true))])
    let answer = app.hears(.presenceHeard(PresenceMessage(code: .extensionPing, wantsNode: true)))
    #expect(answer == [.say(PresenceMessage(code: .appPong))])
  }

  @Test
  func `95: 'a simple XPC channel': instead, six codes in messages of 16 bytes, and an intent lock`() {
    for code in PresenceCode.allCases {
      let message = PresenceMessage(code: code, wantsNode: true)
      #expect(message.encoded().count == 16)
      #expect(PresenceMessage(decoding: message.encoded()) == message)
    }
    #expect(PresenceCode.allCases.map(\.rawValue) == [1, 2, 3, 4, 8, 12], "Phoenix's six codes")
    var notifier = Process<ExtensionMachine>.dialling(8)
    // Without a message, the next read of the row has the intent.
    let directives = notifier.hears(.node(.connecting), .rowRead(row(8, .extension), appWantsNode: true))
    #expect(directives.contains(.stopNode(gracefully: true)))
  }

  @Test
  func `104: 'saying the mainApp is now active': the extension 'will abort' when the app wants the node`() {
    var notifier = Process<ExtensionMachine>.dialling(8)
    #expect(notifier.hears(.node(.connecting), intent).contains(.stopNode(gracefully: true)))
    let released = notifier.hears(.node(.stopped), .rowRead(row(8, .extension), appWantsNode: true))
    #expect(released.contains(.dropLock))
    let end = notifier.hears(seen(row(9, .app), lockIsBusy: true), at: 0.3)
    #expect(end.contains(.finished(push: 1, .appWantsNode)))
  }

  @Test
  func `104: 'is now active': instead, an app that does not want the node changes nothing`() {
    var notifier = Process<ExtensionMachine>.dialling(8)
    let directives = notifier.hears(.node(.connecting), .presenceHeard(PresenceMessage(code: .appPing)))
    #expect(!directives.contains(.stopNode(gracefully: true)))
  }

  @Test
  func `104: 'UNLESS it's already connected to the peer': a settling extension does not stop at once`() {
    var notifier = Process<ExtensionMachine>.connected(8)
    _ = notifier.hears(.node(.busy(NodeActivity(isSettling: true))))
    let request = GuardEvent.presenceHeard(
      PresenceMessage(code: .appPing, wantsNode: true, asksForHandover: true))
    let directives = notifier.hears(intent, request)
    #expect(directives.contains(.acceptNoNewPayment))
    #expect(!directives.contains { if case .stopNode = $0 { true } else { false } })
  }
}

import Ground
import Guardrails
import Heartbeat
import Testing

@Suite struct PresenceTests {
  @Test func theSixCodesAreThoseOfPhoenix() {
    let codes = Role.allCases.flatMap { role in
      [PresenceCode.Kind.ping, .pong, .unavailable].map { PresenceCode(role, $0).rawValue }
    }
    #expect(codes == [1, 2, 3, 4, 8, 12])
  }

  @Test func everyCodeKnowsItsSpeakerAndItsWord() {
    for code in PresenceCode.allCases { #expect(PresenceCode(code.speaker, code.kind) == code) }
  }

  @Test func suspensionsStartAtOneSoAProcessIsSilentUntilItIsResumed() {
    let presence = Presence(role: .app)
    #expect(presence.isSuspended)
    #expect(presence.heard(.extensionPing) == .ignored)
  }

  @Test func resumingToZeroPingsAndSuspendingSaysUnavailable() {
    var presence = Presence(role: .extension)
    #expect(presence.resume() == .extensionPing)
    #expect(presence.suspend() == .extensionUnavailable)
  }

  @Test func suspensionsNest() {
    var presence = Presence(role: .app)
    _ = presence.resume()
    #expect(presence.suspend() == .appUnavailable)
    #expect(presence.suspend() == nil)
    #expect(presence.resume() == nil)
    #expect(presence.heard(.extensionPing) == .ignored)
    #expect(presence.resume() == .appPing)
    #expect(!presence.isSuspended)
  }

  @Test func resumingOnceTooOftenIsNoDebt() {
    var presence = Presence(role: .app)
    _ = presence.resume()
    #expect(presence.resume() == nil)
    #expect(presence.suspend() == .appUnavailable)
  }

  @Test func aPingIsAnsweredByAPongAndNothingElseIsAnswered() {
    var presence = Presence(role: .app)
    _ = presence.resume()
    #expect(presence.heard(.extensionPing) == .counts(answer: .appPong))
    #expect(presence.heard(.extensionPong) == .counts(answer: nil))
    #expect(presence.heard(.extensionUnavailable) == .counts(answer: nil))
  }

  @Test func ownMessagesAreIgnored() {
    for role in Role.allCases {
      var presence = Presence(role: role)
      _ = presence.resume()
      for word in [PresenceCode.Kind.ping, .pong, .unavailable] {
        #expect(presence.heard(PresenceCode(role, word)) == .ignored)
      }
    }
  }
}

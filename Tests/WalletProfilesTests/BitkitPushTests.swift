import Ground
import Guardrails
import TestKit

/// Bitkit's pushes as its server writes them.
@Suite("Reading Bitkit's pushes") struct BitkitPushTests {
  private static let hash = String(repeating: "ab", count: 32)
  private static let sealed = #"{"cipher":"AA==","iv":"01","publicKey":"02","tag":"03"}"#
  private static let members = SealedMembers(cipher: "AA==", iv: "01", publicKey: "02", tag: "03")
  private static let plain =
    #"{"source":"blocktank","type":"incomingHtlc","payload":{"paymentHash":"\#(hash)","amountMsat":100000,"held":true,"holdExpiresAt":1700000000},"createdAt":"2024-09-18T13:33:52.555Z"}"#
  private static let announcement = Announcement(
    kind: .incomingHtlc, paymentHash: Bytes32(hex: hash), amountMsat: 100_000, isHeld: true,
    holdEndsAt: 1_700_000_000)
  private static let alert =
    #""alert":{"title":"Payment Incoming","body":"Open Bitkit to receive"},"sound":"default","interruption-level":"time-sensitive","mutable-content":1"#

  private func read(_ text: String, opening plain: String? = plain, asked: ((SealedMembers) -> Void)? = nil)
    -> Push
  {
    PushReader.read(Array(text.utf8), id: 7, as: .bitkit) { members in
      asked?(members)
      return plain.map { Array($0.utf8) }
    }
  }

  private static let unreadable = Push(id: 7, reason: .unreadable)

  @Test(.shows("B-1.6.2")) func `A silent push for a payment is read with its hash and amount in clear`() {
    let push = read(
      #"{"aps":{"content-available":1},"payment_hash":"\#(Self.hash)","amount_msat":100000,"type":"incoming_htlc_wake"}"#
    )
    #expect(push.reason == .incomingPayment && push.paymentHash == Bytes32(hex: Self.hash))
    #expect(push.announcement?.amountMsat == 100_000 && push.announcement?.isHeld == false)
  }

  @Test func `A silent push of another type is nothing for this wallet`() {
    expect(read(#"{"aps":{"content-available":1},"type":"rates"}"#), is: Self.unreadable)
    expect(
      read(#"{"aps":{"content-available":1},"reason":"IncomingPayment","payment_hash":"\#(Self.hash)"}"#),
      is: Self.unreadable)
  }

  @Test(
    .shows("K-15"),
    arguments: [
      #"{"aps":{\#(alert)},"payload":\#(sealed)}"#,
      #"{"aps":{"alert":{"title":"a","body":"b","payload":\#(sealed)},"mutable-content":1}}"#,
      // The payload beside `aps` counts, whatever the alert has.
      #"{"aps":{"alert":{"payload":{"cipher":"other","iv":"","publicKey":"","tag":""}}},"payload":\#(sealed)}"#,
    ]) func `The sealed payload is found beside aps and inside the alert`(text: String)
  {
    var asked: [SealedMembers] = []
    let push = read(text) { asked.append($0) }
    expect(asked, is: [Self.members])
    expect(
      push,
      is: Push(
        id: 7, reason: .incomingPayment, paymentHash: Bytes32(hex: Self.hash),
        announcement: Self.announcement))
    #expect(PushReader.isSealed(Array(text.utf8)))
  }

  @Test(arguments: [
    #"{"aps":{\#(alert)}}"#, #"{"aps":{\#(alert)},"payload":{}}"#, #"{"aps":{\#(alert)},"payload":"x"}"#,
    #"{"aps":{\#(alert)},"payload":{"cipher":"AA==","iv":"01","publicKey":"02"}}"#,
    #"{"aps":{\#(alert)},"payload":{"cipher":1,"iv":"01","publicKey":"02","tag":"03"}}"#, "", "[]", "{",
  ]) func `A visible push without a whole sealed payload is unreadable, and nothing is opened`(text: String) {
    var asked = 0
    expect(read(text) { _ in asked += 1 }, is: Self.unreadable)
    #expect(asked == 0 && !PushReader.isSealed(Array(text.utf8)))
  }

  @Test func `A push of 4,097 bytes is unreadable, one of 4,096 is read`() {
    let text = #"{"aps":{\#(Self.alert)},"payload":\#(Self.sealed)}"#
    let room = PushReader.payloadLimit - text.utf8.count
    expect(read(text + String(repeating: " ", count: room)).announcement, is: Self.announcement)
    expect(read(text + String(repeating: " ", count: room + 1)), is: Self.unreadable)
  }

  @Test(arguments: [
    nil, "", "no JSON", "[]", "{}", #"{"type":"incomingHtlc"}"#, #"{"payload":{}}"#,
    #"{"type":"wakeToTimeout","payload":{}}"#, #"{"type":7,"payload":{}}"#,
    #"{"type":"incomingHtlc","payload":[]}"#, #"{"type":"incomingHtlc","type":"mutualClose","payload":{}}"#,
  ]) func `A payload that cannot be opened, is no JSON object or has no known type is unreadable`(
    plain: String?
  ) {
    expect(read(#"{"aps":{\#(Self.alert)},"payload":\#(Self.sealed)}"#, opening: plain), is: Self.unreadable)
  }

  @Test func `Members that are missing, unknown or of another type leave the kind readable`() {
    let push = read(
      #"{"aps":{},"payload":\#(Self.sealed)}"#,
      opening:
        #"{"type":"incomingHtlc","payload":{"paymentHash":"ab","amountMsat":-1,"held":"yes","new":{}}}"#)
    expect(push.announcement, is: Announcement(kind: .incomingHtlc))
    #expect(push.announcement?.record == nil)
  }

  @Test(arguments: Announcement.Kind.allCases) func `Each kind that a server writes is read back as it was`(
    kind: Announcement.Kind
  ) {
    var announcement = Self.announcement
    announcement.kind = kind
    announcement.isHeld = kind == .incomingHtlc
    let opened = OpenedPayload(announcement, createdAt: "2024-09-18T13:33:52.555Z")
    expect(PushReader.readOpened(opened.json), is: announcement)
  }

  @Test func `What a server writes has the members and the order of the real one`() {
    let opened = OpenedPayload(Self.announcement, createdAt: "2024-09-18T13:33:52.555Z")
    expect(String(decoding: opened.json, as: UTF8.self), is: Self.plain)
  }
}

/// The table of Bitkit's texts.
@Suite("Bitkit's texts") struct BitkitTextTests {
  private func content(_ kind: Announcement.Kind, isHeld: Bool = false) -> NotificationContent {
    NotificationContent(.announced(Announcement(kind: kind, isHeld: isHeld)), of: .bitkit)
  }

  private func says(_ content: NotificationContent, _ title: String, _ body: String) -> Bool {
    content.title == title && content.body == body
  }

  @Test(.shows("B-1.3.1")) func `An announced payment that is held says that its funds are being held`() {
    #expect(
      says(
        content(.incomingHtlc, isHeld: true), "Payment Incoming",
        "Open now to receive - funds are being held"))
  }

  @Test(.shows("K-13")) func `An announced payment that nobody holds does not say that funds are being held`()
  {
    #expect(says(content(.incomingHtlc), "Payment Incoming", "Open Bitkit to receive"))
  }

  @Test(.shows("B-1.3.2"), arguments: [true, false])
  func `A payment that opens a channel says that it is received through a new channel`(isHeld: Bool) {
    #expect(
      says(
        content(.cjitPaymentArrived, isHeld: isHeld), "Payment Incoming",
        "Open now to receive via new channel"))
  }

  @Test(.shows("B-1.3.3")) func `A paid channel order says that the channel is ready`() {
    #expect(says(content(.orderPaymentConfirmed), "Channel Ready", "Open Bitkit to complete setup"))
  }

  @Test(.shows("B-1.3.4")) func `A mutual close says that the funds moved to savings`() {
    #expect(says(content(.mutualClose), "Channel Closed", "Funds moved to savings"))
  }

  @Test(.shows("G-3", "B-1.1.A3"), arguments: [Push.Reason.unreadable])
  func `A push that cannot be decrypted asks to open the wallet`(reason: Push.Reason) {
    let content = NotificationContent(.nothingReceived(reason), of: .bitkit)
    #expect(says(content, "Bitkit", "Open Bitkit to check for new activity"))
  }

  @Test(.shows("B-1.1.5"), arguments: [true, false])
  func `Each kind has its own text, and all are time-sensitive with the default sound`(isHeld: Bool) {
    let all = Announcement.Kind.allCases.map { content($0, isHeld: isHeld) }
    expect(Set(all).count, is: Announcement.Kind.allCases.count)
    for content in all + [NotificationContent(.nothingReceived(.unreadable), of: .bitkit)] {
      #expect(content.level == "time-sensitive" && content.sound == "default")
      #expect(content.category == "INCOMING_PAYMENT" && content.badgeIncrement == 0)
    }
  }

  @Test func `Nothing is received by a text: the badge grows only with a received payment`() {
    let payment = ReceivedPayment(paymentHash: .zero, amountMsat: 21_000, text: "coffee")
    expect(NotificationContent(.received(payment), of: .bitkit), is: NotificationContent(payment))
    expect(NotificationContent(payment).badgeIncrement, is: 1)
  }

  @Test func `Phoenix never announces: such an outcome has the text of an unreadable push`() {
    let outcome = PushOutcome.announced(Announcement(kind: .incomingHtlc))
    expect(
      NotificationContent(outcome, of: .phoenix),
      is: NotificationContent(.nothingReceived(.unreadable), of: .phoenix))
  }
}

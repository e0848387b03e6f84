import JSON
import DaemonRuntime
import Ground
import Guardrails
import LightningWire
import LightningProvider
import PhonePolicy
import Testing
import WaitingTests

@testable import Inspection

/// Journals as earlier versions wrote them: claims named the halves of a container's id, the guard made texts.
@Suite("Journals of earlier versions", .waits)
struct OlderJournalTests {
  private func replay(_ text: String) throws -> JournalReplay.Outcome {
    try JournalReplay.run(JournalReader(name: "older", bytes: Array((text + "\n").utf8)))
  }

  @Test func `A peer's journal of an earlier version replays without a difference`() throws {
    #expect(Self.peer.contains("containerHigh"))
    let outcome = try replay(Self.peer)
    #expect(outcome.isWhole, "\(outcome.trouble ?? "")")
    #expect(outcome.events.map(\.core) == ["peer"] && outcome.events.map(\.count) == [3])
  }

  @Test
  func
    `A difference counts as missing evidence in another version's journal, as a difference in a current one`()
    throws
  {
    let record = #""event":{"launched":{}},"directives":[{"deliver":{"push":1,"_1":{"partsWait":{}}}}]}"#
    let current = Self.extension.replacing(
      "\"configuration\"", with: "\"form\":\(JournalForm.current),\"configuration\"")
    #expect(try replay(current + record).difference?.line == 2)
    let later = current.replacing(
      "\"form\":\(JournalForm.current)", with: "\"form\":\(JournalForm.current + 1)")
    for journal in [Self.extension, later] {
      let outcome = try replay(journal + record)
      #expect(outcome.difference == nil && outcome.missing?.line == 2 && !outcome.isWhole)
      #expect(
        outcome.missing?.sentence
          == "another version of Baton wrote the journal, and its core guard-extension decides or writes this "
          + "otherwise; replay the journal with that version's `baton`")
    }
  }

  @Test func `A record of an earlier version that cannot be decoded counts as missing evidence`() throws {
    let outcome = try replay(Self.node)
    #expect(outcome.difference == nil && outcome.missing?.line == 2 && !outcome.isWhole)
  }

  @Test func `An older guard record, which reads received payments without a push id, is decoded`() throws {
    let record =
      Self.extension
      + #""event":{"receivedFound":{"_0":[]}},"directives":[{"readReceived":{"paymentHash":"\#(Self.hash)"}},{"readReceived":{}}]}"#
    let reader = JournalReader(name: "older", bytes: Array((record + "\n").utf8))
    _ = try reader.next()
    let line = try #require(try reader.next())
    let body = try #require(EventBody<GuardEvent, GuardDirective>(line))
    #expect(body.event == .receivedFound([]))
    #expect(
      body.directives == [
        .readReceived(paymentHash: Bytes32(hex: Self.hash)), .readReceived(paymentHash: nil),
      ])
  }

  @Test func `Reasons that an older guard recorded as sentences become codes`() throws {
    let record =
      #""event":{"node":{"_0":{"stopped":{}}}},"directives":[{"finished":{"push":1,"_1":"asked to terminate"}},{"end":{"_0":"asked to terminate"}}]}"#
    let line = OlderRecords.rewritten(Array((#"{"core":"guard-extension","# + record).utf8))
    let text = String(decoding: line, as: UTF8.self)
    #expect(
      text.hasSuffix(#"[{"finished":{"push":1,"_1":"terminated"}},{"end":{"_0":"terminated"}}]}"#), "\(text)")
  }

  @Test func `Each reason that an older guard recorded as a sentence becomes its code`() {
    // No older guard announced a payment.
    #expect(
      Set(OlderRecords.finishReasons.map(\.reason)) == Set(FinishReason.allCases).subtracting([.announced]))
    #expect(Set(OlderRecords.endReasons.map(\.reason)) == Set(Guardrails.EndReason.allCases))
    for (words, reason) in OlderRecords.finishReasons {
      let line = OlderRecords.rewritten(Array(#"[{"finished":{"push":1,"_1":"\#(words)"}}]"#.utf8))
      #expect(
        String(decoding: line, as: UTF8.self) == #"[{"finished":{"push":1,"_1":"\#(reason.rawValue)"}}]"#)
    }
    for (words, reason) in OlderRecords.endReasons {
      let line = OlderRecords.rewritten(Array(#"[{"end":{"_0":"\#(words)"}}]"#.utf8))
      #expect(String(decoding: line, as: UTF8.self) == #"[{"end":{"_0":"\#(reason.rawValue)"}}]"#)
    }
  }

  @Test func `An older peer's quiescence warning, recorded without a code, gets its code`() throws {
    let warning = ErrorOrWarning(
      text: "the channel was at rest for 60 s: reconnect", code: .quiescenceTimeout)
    let now = try JSONLineEncoder().encode(PeerDirective.send(connection: 1, .warning(warning)))
    let older = now.replacing(",\"code\":1", with: "")
    #expect(older != now)
    #expect(OlderRecords.rewritten(Array(older.utf8)) == Array(now.utf8))
  }

  @Test func `An older phone journal, with events for payments and invoices, replays without a difference`()
    throws
  {
    let configuration = try JSONLineEncoder().encode(PhoneConfiguration()).replacing(
      "answerPatience", with: "invoicePatience")
    let events = [
      (#"{"personOpened":{}}"#, #"{"launch":{"_0":"app","_1":{"person":{}}}}"#),
      (#"{"processStarted":{"_0":"app","pid":7}}"#, #"{"tell":{"_0":"app","_1":{"enterForeground":{}}}}"#),
      (#"{"paymentWanted":{"request":1}}"#, #"{"tell":{"_0":"app","_1":{"payment":{"request":1}}}}"#),
      (#"{"invoiceWanted":{"request":2}}"#, #"{"tell":{"_0":"app","_1":{"invoice":{"request":2}}}}"#),
      (#"{"invoiceAnswered":{"request":2}}"#, #"{"passOnInvoice":{"request":2}}"#),
      (
        #"{"processEnded":{"_0":"app","_1":{"signalled":{"_0":9}}}}"#,
        #"{"recordEnd":{"_0":"app","_1":{"killedFromOutside":{"signal":9}}}},{"failInvoice":{"request":1,"_1":"endedWhilePaying"}}"#
      ),
      (#"{"paymentWanted":{"request":3}}"#, #"{"failInvoice":{"request":3,"_1":"notInFront"}}"#),
    ]
    var lines = [#"{"seq":1,"t":1,"wall":1,"kind":"core","core":"phone","configuration":\#(configuration)}"#]
    for (number, (event, directives)) in events.enumerated() {
      lines.append(
        #"{"seq":\#(number + 2),"t":2,"wall":1,"kind":"event","core":"phone","event":\#(event),"#
          + #""directives":[\#(directives)]}"#)
    }
    let outcome = try replay(lines.joined(separator: "\n"))
    #expect(outcome.isWhole, "\(outcome.trouble ?? "")")
  }

  @Test
  func
    `An older phone journal, with one switch for alerts and nothing after the content, replays without a difference`()
    throws
  {
    let places = #","showsOnLockScreen":true,"showsInCentre":true,"showsBanners":true"#
    var state = DeviceState()
    state.allowsNotifications = false
    let configuration = try JSONLineEncoder().encode(PhoneConfiguration())
    let saved = try JSONLineEncoder().encode(PhoneDirective.saveDevice(state))
    #expect(configuration.contains(places) && saved.contains(places))
    let older = configuration.replacing(places, with: "").replacing(
      #","filtersNotifications":false"#, with: ""
    ).replacing(/,"afterContent":"suspend".*"sparesLockHolders":false/, with: "")
    #expect(!older.contains("filters") && !older.contains("reuses") && !older.contains("activityTime"))
    let alert = try JSONLineEncoder().encode(
      PhonePush(id: 1, alert: NotificationText(title: "a", body: "b"), hasMutableContent: true))
    let lines = [
      #"{"seq":1,"t":1,"wall":1,"kind":"core","core":"phone","configuration":\#(older)}"#,
      #"{"seq":2,"t":2,"wall":1,"kind":"event","core":"phone","event":{"deviceChanged":{"_0":{"notifications":"#
        + #"{"_0":false}}}},"directives":[\#(saved.replacing(places, with: ""))]}"#,
      #"{"seq":3,"t":2,"wall":1,"kind":"event","core":"phone","event":{"pushArrived":{"_0":\#(alert)}},"#
        + #""directives":[{"recordFate":{"push":1,"_1":{"notShown":{}}}},{"drop":{"push":1}}]}"#,
    ]
    let outcome = try replay(lines.joined(separator: "\n"))
    #expect(outcome.isWhole, "\(outcome.trouble ?? "")")
    #expect(outcome.events.map(\.count) == [2])
  }

  private static let hash = String(repeating: "ab", count: 32)

  private static let `extension` = #"""
    {"seq":1,"t":1,"wall":1,"kind":"core","core":"guard-extension",\#
    "configuration":{"takeover":"lock","timing":{"interval":2000000000,"staleAfter":5000000000}}}
    {"seq":2,"t":2,"wall":1,"kind":"event","core":"guard-extension",
    """#

  private static let peer = #"""
    {"seq":1,"t":18600963715446,"wall":1795381351655052880,"kind":"core","core":"peer",\#
    "configuration":{"isLegacy":false,"callsBackAfter":2000000000,"elsewhereDelay":0,\#
    "rules":{"chatter":20,"silence":30000000000},\#
    "fundingKey":"023d874736a27dd540eb3d3d688e119405e5fa238638677ad9ab8c8c22c881abf9",\#
    "spliceDelay":0,"startedAt":18600961103430,\#
    "state":{"channel":{"record":{"id":"a8a6ba58db136eea12cc7e04de587c86e76da4efbd88de9fe88b2676123b47ce",\#
    "isOpener":true,"localMsat":9000000000,"remoteMsat":1000000000,"localCommitmentNumber":0,\#
    "remoteCommitmentNumber":0,"revocationsSent":0,"revocationsReceived":0,\#
    "lastReceivedSecret":"0000000000000000000000000000000000000000000000000000000000000000",\#
    "nextOfferedID":0,"nextReceivedID":0,"sentRevocationLast":false,"revision":0,"htlcs":[]},\#
    "link":{"saidReestablish":false,"heardReestablish":false,"mustResendCommitment":false,\#
    "mustResendRevocation":false}},"payments":[],"paidHashes":[],"elsewhere":[]},\#
    "awaitsWallet":true}}
    {"seq":2,"t":18601153455851,"wall":1795381351845106052,"kind":"event","core":"peer",\#
    "event":{"walletNamed":{"_0":"02a2e803bec562c1996d796ffce706e2ed3fb42decdcd1b28a0f1970d5ca21899f"}},\#
    "directives":[]}
    {"seq":3,"t":18601153847465,"wall":1795381351846556235,"kind":"event","core":"peer",\#
    "event":{"connected":{"connection":1,\#
    "node":"02a2e803bec562c1996d796ffce706e2ed3fb42decdcd1b28a0f1970d5ca21899f"}},\#
    "directives":[{"store":{"_0":[{"connectionOpened":{"connection":1,\#
    "node":"02a2e803bec562c1996d796ffce706e2ed3fb42decdcd1b28a0f1970d5ca21899f"}}]}},\#
    {"send":{"connection":1,"_1":{"greeting":{"_0":{"globalFeatures":"",\#
    "features":{"bytes":"8000080800002082"},\#
    "networks":["06226e46111a0b59caaf126043eb5bbf28c34f3a5e332a1fc7b2b73cf188910f"],\#
    "others":[]}}}}}]}
    {"seq":4,"t":18601157615310,"wall":1795381351849388164,"kind":"event","core":"peer",\#
    "event":{"received":{"connection":1,"_1":{"greeting":{"_0":{"globalFeatures":"",\#
    "features":{"bytes":"8000000800002082"},"fence":{"epoch":1,"incarnation":3489587834372161289,\#
    "containerHigh":6276212715816028755,"containerLow":576704421785234698},\#
    "networks":["06226e46111a0b59caaf126043eb5bbf28c34f3a5e332a1fc7b2b73cf188910f"],\#
    "others":[]}}}}},"directives":[{"store":{"_0":[{"frameActedOn":{"connection":1}},\#
    {"fence":{"_0":{"epoch":1,"incarnation":3489587834372161289,\#
    "containerHigh":6276212715816028755,"containerLow":576704421785234698}}},\#
    {"connectionJudged":{"connection":1,"_1":"accepted","_2":{"epoch":1,\#
    "incarnation":3489587834372161289,"containerHigh":6276212715816028755,\#
    "containerLow":576704421785234698}}}]}},{"send":{"connection":1,\#
    "_1":{"fenceAnswer":{"_0":{"accepted":true,"highest":1,"containerHigh":6276212715816028755,\#
    "containerLow":576704421785234698}}}}},{"send":{"connection":1,\#
    "_1":{"channelReestablish":{"_0":{"channel":"a8a6ba58db136eea12cc7e04de587c86e76da4efbd88de9fe88b2676123b47ce",\#
    "nextCommitmentNumber":1,"nextRevocationNumber":0,\#
    "yourLastPerCommitmentSecret":"0000000000000000000000000000000000000000000000000000000000000000",\#
    "myCurrentPerCommitmentPoint":"000000000000000000000000000000000000000000000000000000000000000000",\#
    "fundingLocked":{"transaction":"ce473b1276268be89fde88bdefa46de7867c58de047ecc12ea6e13db58baa6a8",\#
    "flags":0},"extensions":[]}}}}}]}
    """#

  private static let node = #"""
    {"seq":1,"t":18601124536834,"wall":1795381351815874278,"kind":"core","core":"node",\#
    "configuration":{"terms":{"walletMsat":1000000000,"providerMsat":9000000000},\#
    "rules":{"chatter":20,"silence":30000000000},"multiPartWindow":60000000000,\#
    "fundingKey":"02a2e803bec562c1996d796ffce706e2ed3fb42decdcd1b28a0f1970d5ca21899f"}}
    {"seq":2,"t":18601138268249,"wall":1795381351838136007,"kind":"event","core":"node",\#
    "event":{"started":{"_0":{"fence":{"epoch":1,"incarnation":3489587834372161289,\#
    "containerHigh":6276212715816028755,"containerLow":576704421785234698}},"_1":{"invoices":[],\#
    "accepted":[],"payments":{"pending":[]},"waiting":[]}}},\#
    "directives":[{"report":{"_0":{"connecting":{}}}},{"checkRow":{}}]}
    """#
}

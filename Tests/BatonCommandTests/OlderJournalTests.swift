import JSON
import DaemonRuntime
import Ground
import Guardrails
import LightningWire
import LightningProvider
import PhonePolicy
import Testing

@testable import Inspection

/// Journals of an earlier program: the peer's claims have the container's id in two halves, the node is told whether
/// the row is its own and reports each activity singly, and the guard makes texts.
@Suite("A journal of an earlier program")
struct OlderJournalTests {
  private func replay(_ text: String) throws -> JournalReplay.Outcome {
    try JournalReplay.run(JournalReader(name: "older", bytes: Array((text + "\n").utf8)))
  }

  @Test("A peer's journal replays to the same bytes in this program's form") func peer() throws {
    #expect(Self.peer.contains("containerHigh"))
    let outcome = try replay(Self.peer)
    #expect(outcome.isWhole, "\(outcome.trouble ?? "")")
    #expect(outcome.events.map(\.core) == ["peer"] && outcome.events.map(\.count) == [3])
  }

  @Test("A peer's journal that was altered differs") func changedPeer() throws {
    let changed = Self.peer.replacing(
      "\"highest\":1,\"containerHigh\":627", with: "\"highest\":1,\"containerHigh\":628")
    #expect(changed != Self.peer)
    #expect(try replay(changed).difference?.line == 4)
  }

  @Test("A node's journal cannot be replayed, which is reported and is no difference") func node()
    throws
  {
    let outcome = try replay(Self.node)
    #expect(outcome.difference == nil && outcome.missing?.line == 2 && !outcome.isWhole)
    #expect(outcome.missing?.sentence.hasPrefix("the node of an earlier program begins here") == true)
  }

  @Test("A node that sent at once after restoring a backup cannot be replayed from there") func adoption()
    throws
  {
    let record =
      #"{"seq":1,"t":1,"wall":1,"kind":"event","core":"node","event":{"written":{}},"#
      + #""directives":[{"send":{"_0":[{"message":{"_0":{"channelReestablish":{}}}}]}}]}"#
    let reader = JournalReader(name: "older", bytes: Array((record + "\n").utf8))
    let line = try #require(try reader.next())
    #expect(
      OlderRecords.refusal(of: line)
        == "the node of an earlier program speaks here without reading the container again behind a backup; use the program that wrote it"
    )
  }

  @Test(
    "A guard's journal cannot be replayed from the first record in an obsolete form",
    arguments: [
      (
        #""event":{"node":{"_0":{"settling":{"_0":true}}}},"directives":[]}"#,
        "an earlier program says here in other words what its node is busy with"
      ),
      (
        #""event":{"node":{"_0":{"collecting":{"_0":[]}}}},"directives":[]}"#,
        "an earlier program says here in other words what its node is busy with"
      ),
      (
        #""event":{"pushArrived":{"_0":{"id":1,"reason":"unreadable"}}},"directives":[{"deliver":{"push":1,"_1":{"title":"Wallet"}}}]}"#,
        "the guard of an earlier program makes a text here"
      ),
      (
        #""event":{"pushArrived":{"_0":{"id":1,"reason":"incomingPayment","paymentHash":"\#(Self.hash)"}}},"directives":[{"readReceived":{"paymentHash":"\#(Self.hash)"}},{"look":{}}]}"#,
        "the guard of an earlier program asks here what was received, and not for which push"
      ),
    ])
  func `guard`(record: String, sentence: String) throws {
    let outcome = try replay(Self.extension + record)
    #expect(outcome.difference == nil && outcome.missing?.line == 2)
    #expect(outcome.missing?.sentence.hasPrefix(sentence) == true, "\(outcome)")
  }

  @Test("A guard's records are decoded also without the push of a received payment")
  func readGuard() throws {
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

  @Test("A requests core that asked the node cannot be replayed from there") func requests() throws {
    let text = #"""
      {"seq":1,"t":1,"wall":1,"kind":"core","core":"requests","configuration":{}}
      {"seq":2,"t":2,"wall":1,"kind":"event","core":"requests","event":{"invoiceMade":{"_0":"1","_1":{}}},\#
      "directives":[{"store":{"_0":{}}}]}
      """#
    let outcome = try replay(text)
    #expect(outcome.difference == nil && outcome.missing?.line == 2)
    #expect(outcome.missing?.sentence.hasPrefix("the requests of an earlier program") == true, "\(outcome)")
  }

  @Test("A guard's former sentences are rewritten as codes, on one line") func reasons() throws {
    let record =
      #""event":{"node":{"_0":{"stopped":{}}}},"directives":[{"finished":{"push":1,"_1":"asked to terminate"}},{"end":{"_0":"asked to terminate"}}]}"#
    let line = OlderRecords.rewritten(Array((#"{"core":"guard-extension","# + record).utf8))
    let text = String(decoding: line, as: UTF8.self)
    #expect(
      text.hasSuffix(#"[{"finished":{"push":1,"_1":"terminated"}},{"end":{"_0":"terminated"}}]}"#), "\(text)")
  }

  @Test("A peer's stfu timeout in words alone gets the code of today") func rest() throws {
    let complaint = ErrorOrWarning(
      text: "the channel was at rest for 60 s: reconnect", code: .quiescenceTimeout)
    let now = try JSONLineEncoder().encode(PeerDirective.send(connection: 1, .warning(complaint)))
    let older = now.replacing(",\"code\":1", with: "")
    #expect(older != now)
    #expect(OlderRecords.rewritten(Array(older.utf8)) == Array(now.utf8))
  }

  @Test("A phone's records with the former app requests replay in this program's form") func asks()
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

  @Test("A guard's record that differs otherwise counts as altered") func changedGuard() throws {
    let record = #""event":{"launched":{}},"directives":[{"deliver":{"push":1,"_1":{"partsWait":{}}}}]}"#
    #expect(try replay(Self.extension + record).difference?.line == 2)
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

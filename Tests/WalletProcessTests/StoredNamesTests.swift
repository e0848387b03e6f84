import Crypto
import Ground
import Guardrails
import Lightning
import Wallet
import LightningProvider
import Testing
import WalletProcess

@testable import LightningIO

/// Existing databases have these values: renaming a Swift case must not change them.
@Suite("The stored names of values")
struct StoredNamesTests {
  private func names<Value: StoredName>(_: Value.Type) -> [String] { Value.allCases.map(\.storedName) }

  private func rawValues<Value: RawRepresentable<String> & CaseIterable>(_: Value.Type) -> [String] {
    Value.allCases.map(\.rawValue)
  }

  @Test func `HTLC and splice states have fixed stored names`() {
    #expect(names(HTLCDirection.self) == ["offered", "received"])
    #expect(
      names(HTLCState.self) == [
        "sentAdd", "sentAddCommit", "receivedAddRevocation", "receivedAddAckCommit", "sentAddAckRevocation",
        "receivedRemove", "receivedRemoveCommit", "sentRemoveRevocation", "sentRemoveAckCommit",
        "receivedAdd", "receivedAddCommit", "sentAddRevocation", "sentAddAckCommit",
        "receivedAddAckRevocation", "sentRemove", "sentRemoveCommit", "receivedRemoveRevocation",
        "receivedRemoveAckCommit",
      ])
    #expect(names(PendingSplice.Stage.self) == ["signing", "committed", "signed"])
    #expect(rawValues(SpliceEnd.self) == ["done", "forgotten", "lost"])
  }

  @Test func `Claims, payments and connection verdicts have fixed stored names`() {
    #expect(rawValues(Role.self) == ["app", "extension"])
    #expect(
      rawValues(ClaimReason.self) == [
        "never-claimed", "holder-released", "holder-died", "holder-silent", "holder-of-earlier-boot",
        "raised-above-peer", "raised-to-move-here",
      ])
    #expect([PastPayment.paid, .lost].map(\.rawValue) == ["paid", "lost"])
    #expect(
      rawValues(PushReason.self) == [
        "IncomingPayment", "PendingSettlement", "orderPaymentConfirmed", "mutualClose",
      ])
    #expect(rawValues(DataLoss.self) == ["wallet", "peer"])
    #expect(
      rawValues(ConnectionVerdict.self) == [
        "accepted", "unfenced", "visitor", "refused-without-fence", "refused-lower-epoch",
        "refused-other-incarnation", "refused-other-container",
      ])
  }

  @Test func `The stored code of a write names each changed part once and can be read back`() throws {
    let channel = try Channel(id: SHA256.hash([1]), localMsat: 1, remoteMsat: 1, isOpener: false)
    #expect(WriteCode.of(NodeChange()) == "")
    #expect(
      WriteCode.of(NodeChange(channel: channel, restored: [])) == "restored=1 revision=\(channel.revision)")
    var change = NodeChange(waiting: [])
    change.cancelled = SHA256.hash([2])
    change.failure = ChannelFailure(channel: channel.id, reason: "=")
    let code = WriteCode.of(change)
    #expect(code == "cancelled=1 waiting=0 failed=1")
    #expect(WriteCode.read(code)?.map(\.part) == [.cancelled, .waiting, .failed])
    #expect(WriteCode.read(code)?.map(\.number) == [1, 0, 1])
    for text in ["channel revision 7, received 1", "revision", "revision=", "revision=-1", "others=1"] {
      #expect(WriteCode.read(text) == nil, "\(text)")
    }
  }
}

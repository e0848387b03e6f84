import Guardrails
import TestKit

/// The texts for the guard's codes.
@Suite("The texts of the guard's codes") struct WalletTextsTests {
  private static let statuses: [Status] = [
    .idle, .waitingForExtension, .waitingForOther(pid: 7), .appGoesFirst, .blocked(pid: 7, isStopped: true),
    .blocked(pid: nil, isStopped: false), .claiming, .connecting(8), .hinderedFromConnecting(8, "no route"),
    .connected(8), .settling(8), .releasing(8), .usedByAnotherDevice, .peerOutOfReach(highest: 9),
    .trouble("The disk is full."),
  ]

  @Test func `Each text is one line, and no two statuses, finish reasons or end reasons share one`() {
    let reasons = FinishReason.allCases.map(\.text)
    let texts = [Self.statuses.map(\.text), reasons, EndReason.allCases.map(\.text)]
    for texts in texts {
      expect(Set(texts).count, is: texts.count)
      for text in texts { #expect(!text.isEmpty && !text.contains("\n")) }
    }
    expect(Set(Self.statuses.map(\.code)), is: Set(StatusCode.allCases), "a status is missing in this test")
  }

  @Test
  func `A blocked status says which process, if known, is inside the transaction, and if it is stopped`() {
    expect(
      Status.blocked(pid: 4242, isStopped: true).text,
      is: "blocked: process 4242 is stopped inside a transaction")
    expect(
      Status.blocked(pid: nil, isStopped: false).text, is: "blocked: another process is inside a transaction")
  }

  @Test func `A failed silent push has the text of its cause`() {
    expect(SilentPushFailure.halted(.usedByAnotherDevice).text, is: Status.usedByAnotherDevice.text)
    expect(SilentPushFailure.container(.failed("The disk is full.")).text, is: "The disk is full.")
    expect(SilentPushFailure.peerDidNotAnswer.text, is: "the peer did not answer in time")
  }
}

@Suite("The wallets") struct WalletProfileTests {
  @Test func `Each wallet is found by its name, and Phoenix is the first`() {
    expect(WalletProfile.all.map(\.name), is: ["phoenix", "bitkit"])
    for profile in WalletProfile.all { expect(WalletProfile(named: profile.name), is: profile) }
    #expect(WalletProfile(named: "electrum") == nil)
  }

  @Test func `Phoenix has an extension with a node, Bitkit one that only notifies`() {
    #expect(
      WalletProfile.phoenix.extension.program == "notifyextd" && WalletProfile.phoenix.extension.hasNode)
    #expect(
      WalletProfile.bitkit.extension.program == "notifyonlyd" && !WalletProfile.bitkit.extension.hasNode)
  }

  @Test func `Bitkit answers a silent push under the name of the real wallet's task`() {
    expect(WalletProfile.bitkit.silentPushTask, is: "ProcessIncomingHTLC")
    expect(WalletProfile.bitkit.urlScheme, is: "bitkit")
    #expect(WalletProfile.phoenix.silentPushTask == nil)
  }
}

import Testing
import Guardrails

@Suite("The wallets") struct WalletProfileTests {
  @Test func `Each wallet is found by its name, and Phoenix is the first`() {
    #expect(WalletProfile.all.map(\.name) == ["phoenix", "bitkit"])
    for profile in WalletProfile.all { #expect(WalletProfile(named: profile.name) == profile) }
    #expect(WalletProfile(named: "electrum") == nil)
  }

  @Test func `Phoenix has an extension with a node, Bitkit one that only notifies`() {
    #expect(
      WalletProfile.phoenix.extension.program == "notifyextd" && WalletProfile.phoenix.extension.hasNode)
    #expect(
      WalletProfile.bitkit.extension.program == "notifyonlyd" && !WalletProfile.bitkit.extension.hasNode)
  }

  @Test func `Bitkit answers a silent push under the name of the real wallet's task`() {
    #expect(WalletProfile.bitkit.silentPushTask == "ProcessIncomingHTLC")
    #expect(WalletProfile.bitkit.urlScheme == "bitkit")
    #expect(WalletProfile.phoenix.silentPushTask == nil)
  }
}

@testable import Lightning
@testable import LightningProvider
@testable import Wallet

@Suite("Features in init") struct InitFeatureTests {
  @Test func `An unknown even feature bit is named; known and odd bits are accepted`() {
    #expect(InitMessage().unknownRequiredFeature == nil)
    #expect(InitMessage(features: Features([0, 6, 8, 12, 14, 34, 42, 44, 62])).unknownRequiredFeature == nil)
    #expect(InitMessage(features: Features([4, 10, 16, 26, 28, 38])).unknownRequiredFeature == nil)
    #expect(InitMessage(features: Features([1, 23, 101, 1001])).unknownRequiredFeature == nil)
    expect(InitMessage(features: Features([1, 22])).unknownRequiredFeature, is: 22)
    expect(InitMessage(globalFeatures: Features([100]).bytes).unknownRequiredFeature, is: 100)
  }

  @Test(arguments: [
    (InitMessage(features: Features([22])), "it requires feature 22, which is not supported"),
    (InitMessage(networks: [BitcoinNetwork.mainnet.chain]), "its networks do not include regtest"),
  ])
  func `Both ends disconnect on an init with an unknown required feature, or with other chains alone`(
    other: InitMessage, why: String
  ) throws {
    var fixture = try PeerFixture()
    _ = fixture.handle(.connected(connection: 1))
    var ofWallet = other
    ofWallet.fence = fence(1)
    let refused = fixture.hear(.initMessage(ofWallet))
    expect(others(refused), is: [.close(connection: 1, "your init is incompatible: \(why)")])
    #expect(!fixture.peer.isWalletConnected && fixture.peer.state.fence == nil)
    var node = NodeMachine(configuration: .init())
    let start = Instant(nanoseconds: 0)
    _ = node.handle(.started(fence(1), NodeState()), at: start)
    _ = node.handle(.rowRead(row(1)), at: start)
    _ = node.handle(.dialled, at: start)
    let said = node.handle(.received(.initMessage(other)), at: start)
    #expect(said.contains(.cutOff))
    #expect(said.contains(.report(.trouble("the peer's init is incompatible: \(why)"))))
    expect(node.deadline.map { $0 > start }, is: true)
  }

  @Test func `An init that names regtest beside another chain is accepted`() throws {
    var fixture = try PeerFixture()
    _ = fixture.handle(.connected(connection: 1))
    let both = [BitcoinNetwork.mainnet.chain, BitcoinNetwork.regtest.chain]
    _ = fixture.hear(.initMessage(InitMessage(fence: fence(1), networks: both)))
    expect(fixture.peer.registered, is: 1)
  }
}

import Ground
import Crypto
import Testing

@testable import Lightning
@testable import Wallet

@Suite("Features in init")
struct InitFeatureTests {
  @Test
  func `An unknown even feature bit is named; known and odd bits are accepted`() {
    #expect(InitMessage().unknownRequiredFeature == nil)
    #expect(InitMessage(features: Features([0, 6, 8, 12, 14, 34, 42, 44, 62])).unknownRequiredFeature == nil)
    #expect(InitMessage(features: Features([4, 10, 16, 26, 28, 38])).unknownRequiredFeature == nil)
    #expect(InitMessage(features: Features([1, 23, 101, 1001])).unknownRequiredFeature == nil)
    #expect(InitMessage(features: Features([1, 22])).unknownRequiredFeature == 22)
    #expect(InitMessage(globalFeatures: Features([100]).bytes).unknownRequiredFeature == 100)
  }

  @Test
  func `The LSP closes a connection whose init requires an unknown feature`() throws {
    var fixture = try PeerFixture()
    _ = fixture.handle(.connected(connection: 1))
    let demanding = InitMessage(features: Features([22]), fence: fence(1))
    let said = fixture.handle(.received(connection: 1, .initMessage(demanding)))
    let why = "your init is incompatible: it requires feature 22, which is not supported"
    #expect(said.last == .close(connection: 1, why))
    #expect(!fixture.peer.isWalletConnected)
    #expect(fixture.peer.state.fence == nil)
  }

  @Test
  func `The wallet disconnects and redials a peer whose init requires an unknown feature`() throws {
    var node = NodeMachine(configuration: .init())
    let start = Instant(nanoseconds: 0)
    _ = node.handle(.started(fence(1), NodeState()), at: start)
    _ = node.handle(.rowRead(row(1)), at: start)
    _ = node.handle(.dialled, at: start)
    let said = node.handle(.received(.initMessage(InitMessage(features: Features([22])))), at: start)
    #expect(said.contains(.cutOff))
    let why = "the peer's init is incompatible: it requires feature 22, which is not supported"
    #expect(said.contains(.report(.trouble(why))))
    #expect(node.deadline.map { $0 > start } == true)
  }
}

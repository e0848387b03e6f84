import Crypto
import Lightning
import LightningIO

@testable import Baton

@Suite("The first connection to lspd", .waits) struct FirstDialTests {
  private let phone = CommandPhone()

  @Test func `An unknown node that dials first and sends a claim is not taken for the wallet`() throws {
    _ = try phone.run("up")
    let loop = try EventLoop()
    let address = try #require(PeerAddress(file: phone.phone.lspdAddress))
    let key = try #require(PrivateKey(SHA256.hash([7])))
    let connection = try PeerConnection.dial(address, as: key, loop: loop)
    defer { connection.cutOff() }
    var heard: [Message] = []
    let fence = Claim(epoch: 1, incarnation: 1, container: ContainerID(high: 1, low: 1))
    connection.onConnected = {
      for message in [.initMessage(InitMessage(fence: fence)), .ping(Ping(pongSize: 1))] as [Message] {
        connection.send(message.encoded())
      }
    }
    connection.onMessage = { if let message = try? Message(decoding: $0) { heard.append(message) } }
    connection.start()
    #expect(try loop.run(for: .seconds(30)) { heard.last == .pong([0]) })
    // Neither an answer to its claim nor a channel_reestablish.
    expect(heard.map(\.type), is: [16, 19])
    try phone.openAndConnect()
    let wallet = try phone.phone.askForJSON(.lspd, ControlMessage("status"))["wallet"]?.text
    #expect(wallet != nil && wallet != key.publicKey.hex)
    expect(wallet, is: NodeIDFile.read(phone.phone.walletNode)?.hex)
  }
}

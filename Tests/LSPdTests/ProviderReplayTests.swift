import Ground
import Crypto
import DaemonRuntime
import Foundation
import LightningProvider
import Testing

/// Replays a run's journal on a fresh core: the code around the core must add nothing.
struct ProviderReplayTests {
  private struct Head: Decodable {
    var kind: String
  }

  private struct Beginning: Decodable {
    var configuration: PeerMachine.Configuration
  }

  private struct Step: Decodable {
    var t: Instant
    var event: PeerEvent
  }

  @Test func `A replay of lspd's journal gives the same directives, byte for byte`() throws {
    let provider = try ProviderProcess()
    let loop = provider.loop
    let wallet = ScriptedWallet(loop: loop)
    _ = try provider.pay(1)
    _ = try provider.pay(2, hold: 1, waiting: false).receive()
    let sender = try provider.pay(3, waiting: false)
    #expect(try sender.receive()["state"] == "held")
    try wallet.connect(to: try #require(provider.address), fence(1))
    #expect(try loop.run(for: .seconds(10)) { wallet.channel?.localMsat == 1_000_003_000 })
    wallet.send(.peerStorage([1, 2, 3]))
    wallet.send(.unknown(type: 40_001, bytes: [1]))
    wallet.send(raw: [0, 132])
    #expect(try loop.run(for: .seconds(10)) { wallet.isClosed })
    #expect(try provider.goDown()?.how == .exited(code: 0))
    let log = try? FileManager.default.attributesOfItem(atPath: "\(provider.home)/lsp/ledger.sqlite-wal")
    #expect((log?[.size] as? Int ?? 0) == 0, "the ledger's log is in its file")

    let directory = "\(provider.home)/journal"
    let file = try #require(try FileManager.default.contentsOfDirectory(atPath: directory).first)
    let lines = try String(contentsOfFile: "\(directory)/\(file)", encoding: .utf8).split(separator: "\n")
    var core: PeerMachine?
    var steps = 0
    let decoder = JSONDecoder()
    for line in lines.map({ Data($0.utf8) }) {
      switch try decoder.decode(Head.self, from: line).kind {
      case "core":
        core = PeerMachine(configuration: try decoder.decode(Beginning.self, from: line).configuration)
      case "event":
        let step = try decoder.decode(Step.self, from: line)
        let handled = core?.handle(step.event, at: step.t)
        let directives = try #require(handled)
        let text = try JSONLineEncoder().encode(directives)
        #expect(String(decoding: line, as: UTF8.self).contains("\"directives\":\(text)"))
        steps += 1
      default: break
      }
    }
    #expect(steps > 15)
  }
}

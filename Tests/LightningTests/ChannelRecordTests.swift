import Ground
import Crypto
import Testing

@testable import Lightning

@Suite struct ChannelRecordTests {
  /// A channel with HTLCs in several states, in both directions.
  private func busy() throws -> Channel {
    var (peer, wallet) = try channelPair(walletMsat: 10_000)
    for number in 0..<4 {
      _ = try peer.offer(
        amountMsat: 10, paymentHash: paymentHash(UInt64(number)), cltvExpiry: 700,
        paymentData: number == 3 ? PaymentData(secret: paymentHash(77), totalMsat: .max) : nil)
    }
    _ = try settle(&peer, &wallet)
    try wallet.fulfill(0)
    try wallet.fail(1, code: 0x1007)
    for part in wallet.takeOutgoing() {
      _ = try peer.receive(message(part, of: wallet, preimages: [paymentHash(0): preimage(0)]))
    }
    _ = try peer.offer(amountMsat: 10, paymentHash: paymentHash(9), cltvExpiry: 700)
    _ = try wallet.offer(amountMsat: 10, paymentHash: paymentHash(8), cltvExpiry: 700)
    return peer
  }

  @Test func `An encoded channel decodes to the same record`() throws {
    let channel = try busy()
    let again = try Channel(decoding: channel.encoded())
    #expect(again.record == channel.record)
    #expect(!again.isReestablished)
  }

  @Test func `A truncated or lengthened channel record is refused, and a changed one causes no crash`() throws
  {
    let bytes = try busy().encoded()
    for count in bytes.indices {
      #expect(throws: ChannelError.self) { try Channel(decoding: Array(bytes.prefix(count))) }
    }
    #expect(throws: ChannelError.damaged("bytes after its end")) { try Channel(decoding: bytes + [0]) }
    #expect(throws: ChannelError.damaged("unknown version 9")) {
      try Channel(decoding: [9] + bytes.dropFirst())
    }
    var random = SeededGenerator(seed: 5)
    for _ in 0..<4000 {
      var changed = bytes
      for _ in 0...random.below(3) { changed[random.below(changed.count)] = UInt8(random.below(256)) }
      guard var channel = try? Channel(decoding: changed) else { continue }
      _ = channel.reestablish()
      _ = channel.takeOutgoing()
      channel.disconnected()
    }
  }

  @Test func `A channel record with inconsistent values is refused`() throws {
    let sound = try busy().record
    var changes: [(inout ChannelRecord) -> Void] = []
    changes.append { $0.localMsat = .max }
    changes.append { $0.remoteCommitmentNumber += 5 }
    changes.append { $0.revocationsSent += 1 }
    changes.append { $0.lastReceivedSecret = .zero }
    changes.append { $0.htlcs.reverse() }
    changes.append { $0.htlcs[0].removal = nil }
    changes.append { $0.htlcs[0].removal = .fulfilled(preimage: nil) }
    changes.append { $0.htlcs[0].removal = .fulfilled(preimage: preimage(3)) }
    changes.append { $0.htlcs[0].amountMsat = 0 }
    changes.append { $0.nextOfferedID = 0 }
    changes.append { $0.revision = .max }
    changes.append { $0.htlcs[2].state = .sentAddCommit }
    for change in changes {
      var record = sound
      change(&record)
      #expect(throws: ChannelError.self) { try Channel(restoring: record) }
    }
  }

  @Test func `An offer and its commitment raise the revision; a disconnect without pending updates does not`()
    throws
  {
    var (peer, wallet) = try channelPair()
    #expect(peer.revision == 0)
    #expect(peer.takeOutgoing() == [])
    peer.disconnected()
    #expect(peer.revision == 0)
    try {
      wallet.disconnected(); try connect(&peer, &wallet)
    }()
    _ = try peer.offer(amountMsat: 1, paymentHash: paymentHash(1), cltvExpiry: 7)
    #expect(peer.revision == 1)
    _ = peer.takeOutgoing()
    #expect(peer.revision == 2)
  }
}

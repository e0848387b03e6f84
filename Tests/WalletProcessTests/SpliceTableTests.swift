import Platform
import Foundation
import Heartbeat
import WalletProcess

/// Splices in a real container, step by step.
@Suite("The table of splices") final class SpliceTableTests {
  private let scratch = ScratchContainer()

  /// A wallet's channel after each change that must be durable, from the start to the new funding.
  private func steps() throws -> [Channel] {
    var peer = try Channel(
      id: SHA256.hash([1]), localMsat: 90_000_000, remoteMsat: 10_000_000, isOpener: true)
    var wallet = try Channel(
      id: SHA256.hash([1]), localMsat: 10_000_000, remoteMsat: 90_000_000, isOpener: false)
    func side(_ role: SplicingSide.Role, _ number: UInt8) throws -> SplicingSide {
      let key = try #require(PrivateKey(SHA256.hash([number])))
      return SplicingSide(role: role, key: CurvePoint(key.publicKey))
    }
    let fromPeer = peer.reestablish(splicing: try side(.answers, 2))
    _ = try peer.receive(wallet.reestablish(splicing: try side(.begins, 3)))
    _ = try wallet.receive(fromPeer)
    var all = [wallet]
    let address = try BitcoinAddress(decoding: "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", on: .regtest)
    try wallet.beginSplice(SpliceRequest(amountSat: 4000, script: OutputScript(address)))
    while wallet.record.splicedTo == nil {
      for case .message(let message) in wallet.takeOutgoing() { _ = try peer.receive(message) }
      if wallet.revision > all[all.count - 1].revision { all.append(wallet) }
      for case .message(let message) in peer.takeOutgoing() {
        _ = try wallet.receive(message)
        if wallet.revision > all[all.count - 1].revision { all.append(wallet) }
      }
    }
    return all
  }

  private func states(_ container: SharedContainer) throws -> [String] {
    try scratch.read(container) { reader in
      try reader.rows("SELECT state FROM splices ORDER BY id").map { try $0.text(0) }
    }
  }

  @Test func `Each stage of a splice is read as written, and its row stays when the splice is done`() throws {
    let container = try scratch.open()
    let (claim, _) = try scratch.claim(container)
    var seen: [String] = []
    for channel in try steps() {
      try scratch.write(NodeChange(channel: channel), claim, container)
      expect(try scratch.state(container).channel?.record, is: channel.record)
      if let state = try states(container).last { seen.append(state) }
    }
    expect(seen, is: ["signing", "committed", "signed", "done"])
    let row = try scratch.read(container) { reader in
      try reader.rows(
        "SELECT amount_sat, is_ours, begun_epoch, ended_epoch, spent_txid, spent_index, funding_index FROM splices"
      ).first
    }
    #expect(try row?.integer(0) == 4000 && row?.integer(1) == 1)
    #expect(try row?.integer(2) == 1 && row?.integer(3) == 1)
    #expect(try row?.blob(4) == SHA256.hash([1]).bytes && row?.integer(5) == 0 && row?.integer(6) == 0)
  }

  @Test
  func `A forgotten splice may begin again; a pending splice that a restored channel lacks is marked lost`()
    throws
  {
    let container = try scratch.open()
    let (claim, _) = try scratch.claim(container)
    let all = try steps()
    try scratch.write(NodeChange(channel: all[1]), claim, container)
    var record = all[1].record
    record.splice = nil
    record.revision += 1
    try scratch.write(NodeChange(channel: try Channel(restoring: record)), claim, container)
    expect(try states(container), is: ["forgotten"])
    #expect(try scratch.state(container).channel?.pendingSplice == nil)
    record.splice = all[1].record.splice
    record.revision += 1
    try scratch.write(NodeChange(channel: try Channel(restoring: record)), claim, container)
    expect(try states(container), is: ["forgotten", "signing"])
    record.splice = nil
    record.revision += 1
    try scratch.write(NodeChange(channel: try Channel(restoring: record), restored: []), claim, container)
    expect(try states(container), is: ["forgotten", "lost"])
  }

  @Test func `If a splice's row does not match the splice transaction, the state cannot be read`() throws {
    let container = try scratch.open()
    let (claim, _) = try scratch.claim(container)
    try scratch.write(NodeChange(channel: try steps()[1]), claim, container)
    let database = try Connection(path: container.layout.database, access: .readWrite)
    for damage in [
      "amount_sat = amount_sat + 1", "unsigned_transaction = x'0102'", "funding_index = 1", "fee_sat = 0",
    ] {
      try database.execute("BEGIN")
      try database.execute("UPDATE splices SET \(damage)")
      try database.execute("COMMIT")
      let error = #expect(throws: ContainerError.self, "\(damage)") { try scratch.state(container) }
      expect(error?.description.contains("the stored channel is damaged"), is: true, "\(damage)")
      try database.execute("DELETE FROM splices")
      let restored = try steps()[1].record
      try database.execute(
        "INSERT INTO splices (txid, state, is_ours, spent_txid, spent_index, funding_index, amount_sat, fee_sat, unsigned_transaction, begun_epoch, begun_wall_ns) VALUES (?, 'signing', 1, ?, 0, 0, ?, ?, ?, 1, 0)",
        [
          .blob(restored.splice?.id.hash.bytes ?? []), .blob(restored.id.bytes),
          .bits(restored.splice?.amountSat ?? 0), .bits(restored.splice?.feeSat ?? 0),
          .blob(restored.splice?.transaction.array ?? []),
        ])
      expect(try scratch.state(container).channel?.record, is: restored)
    }
  }
}

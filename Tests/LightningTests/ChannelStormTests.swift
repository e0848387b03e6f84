import Testing

@Suite struct ChannelStormTests {
  @Test func `In 200 runs with lost connections and crashes both ends agree, and each HTLC is resolved once`()
    throws
  {
    var settledPayments = 0
    for seed in UInt64(1)...200 {
      var storm = try ChannelStorm(seed: seed)
      for _ in 0..<300 {
        try storm.step()
        for side in storm.sides { #expect(side.channel.capacityMsat == storm.capacity, "seed \(seed)") }
      }
      try storm.heal()
      settledPayments += try check(storm, seed: seed)
    }
    #expect(settledPayments > 1000)
  }

  private func check(_ storm: ChannelStorm, seed: UInt64) throws -> Int {
    let (left, right) = (storm.sides[0], storm.sides[1])
    try #require(left.channel.htlcs.isEmpty && right.channel.htlcs.isEmpty, "seed \(seed)")
    #expect(left.channel.localMsat == right.channel.remoteMsat, "seed \(seed)")
    #expect(left.channel.remoteMsat == right.channel.localMsat, "seed \(seed)")
    #expect(
      left.channel.record.remoteCommitmentNumber == right.channel.record.localCommitmentNumber,
      "seed \(seed)")
    var balance: Int64 = 60_000
    for (side, sign) in [(left, Int64(-1)), (right, Int64(1))] {
      var fulfilled: [UInt64] = []
      var resolved: [UInt64] = []
      for case .fulfilled(let htlc, _) in side.facts {
        fulfilled.append(htlc.id)
        balance += sign * Int64(htlc.amountMsat)
      }
      for case .failed(let htlc, _) in side.facts { resolved.append(htlc.id) }
      resolved += fulfilled
      // Each offered HTLC was reported fulfilled or failed exactly once.
      #expect(resolved.sorted() == Array(0..<side.channel.record.nextOfferedID), "seed \(seed)")
    }
    #expect(balance == Int64(left.channel.localMsat), "seed \(seed)")
    for (side, other) in [(left, right), (right, left)] {
      let committed = side.facts.reduce(0) { if case .committed = $1 { $0 + 1 } else { $0 } }
      #expect(committed == Int(other.channel.record.nextOfferedID), "seed \(seed)")
    }
    return left.facts.count
  }
}

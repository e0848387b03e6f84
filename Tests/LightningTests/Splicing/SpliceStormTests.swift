import Testing

@Suite struct SpliceStormTests {
  @Test
  func `In 300 random runs with splices and faults both ends agree on one funding, and no amount is lost`()
    throws
  {
    var done = 0
    var wanted = 0
    for seed in UInt64(1)...300 {
      var storm = try ChannelStorm(seed: seed, splicing: true)
      for _ in 0..<300 {
        try storm.step()
        for side in storm.sides {
          let taken = try #require(storm.splices?.takenMsat(with: side.channel), "seed \(seed)")
          try #require(side.channel.capacityMsat + taken == storm.capacity, "seed \(seed)")
        }
      }
      try storm.heal()
      let (left, right) = (storm.sides[0].channel, storm.sides[1].channel)
      #expect(left.mayUpdate && right.mayUpdate, "seed \(seed)")
      #expect(left.funding == right.funding, "seed \(seed)")
      #expect(left.htlcs.isEmpty && left.localMsat == right.remoteMsat, "seed \(seed)")
      #expect(left.remoteMsat == right.localMsat, "seed \(seed)")
      #expect(storm.splices?.violations == [], "seed \(seed)")
      done += storm.splices?.takenMsat(with: left) == 0 ? 0 : 1
      wanted += storm.splices?.wanted ?? 0
    }
    // Although most steps are faults, most storms complete a splice.
    #expect(done > 200)
    #expect(wanted > 1000)
  }
}

import SharedContainer

@Suite(.waits) struct LookTests {
  let place = Place()

  @Test func `In a new container an ownership check finds no claim, no busy lock, no beat and no intent`()
    throws
  {
    let observation = try #require(try place.open(.app).seen())
    #expect(observation.row == nil)
    #expect(!observation.holderLockIsBusy)
    #expect(observation.beat == nil)
    #expect(!observation.appWantsNode)
    expect(observation.boot, is: BootID(high: 1, low: 2))
    expect(observation.bootClock, is: Instant(nanoseconds: 3))
  }

  @Test func `Both roles see the owner's claim, lock and beat`() throws {
    let app = try place.open(.app)
    let other = try place.open(.extension)
    let claim = try other.owned(seen: 0)
    let beat = Beat(
      role: .extension, epoch: claim.epoch, phase: .settling, counter: 4, process: .test,
      bootClock: Instant(nanoseconds: 1), wallClockNanoseconds: 2)
    expect(other.write(beat), is: .written)
    for side in [app, other] {
      let observation = try #require(side.seen())
      #expect(claim.owns(observation.row))
      #expect(observation.holderLockIsBusy)
      expect(observation.beat, is: beat)
    }
    other.releaseRoleLock()
    expect(app.seen()?.holderLockIsBusy, is: false)
  }

  @Test func `An ownership check does not mistake the checking process's own lock for the holder's`() throws {
    let app = try place.open(.app)
    let other = try place.open(.extension)
    _ = try other.owned(seen: 0)
    other.releaseRoleLock()
    expect(app.roleLock.tryTake(), is: .taken)
    expect(app.seen()?.holderLockIsBusy, is: false)
  }

  @Test func `A role lock whose file is missing counts as busy`() throws {
    let app = try place.open(.app)
    let other = try place.open(.extension)
    _ = try other.owned(seen: 0)
    unlink(place.layout.roleLock(of: .extension))
    expect(app.seen()?.holderLockIsBusy, is: true)
  }

  @Test func `An ownership check succeeds during a fenced write`() throws {
    let app = try place.open(.app)
    let other = try place.open(.extension)
    let claim = try other.owned(seen: 0)
    let result = other.fencedWrite(under: claim, what: "slow", atMonotonic: Instant(nanoseconds: 0)) { _ in
      app.seen()?.row?.epoch
    }
    expect(result, is: .written(1))
  }

  @Test func `Claim row and state are read in one transaction`() throws {
    let app = try place.open(.app)
    let other = try place.open(.extension)
    let claim = try other.owned(seen: 0)
    let isOne = try app.read { row, node in
      let before = try node.firstRow("SELECT count(*) FROM notes")?.integer(0)
      expect(other.note("meanwhile", under: claim), is: .written(1))
      let after = try node.firstRow("SELECT count(*) FROM notes")?.integer(0)
      return row?.epoch == 1 && before == after
    }
    #expect(isOne)
    expect(app.notes(), is: ["meanwhile"])
  }
}

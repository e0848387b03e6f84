import Guardrails

/// The claim rule of docs/guardrails.md, row by row.
@Suite struct ClaimRuleTests {
  private func rule(_ role: Role, _ takeover: Takeover = .lock) -> ClaimRule {
    ClaimRule(role: role, takeover: takeover, timing: .standard)
  }

  @Test(arguments: Role.allCases) func `A container without a claim is claimed at once`(role: Role) {
    var rule = rule(role)
    let decision = rule.decide(observation(nil, lockIsBusy: false), at: seconds(0))
    expect(decision, is: .claim(seen: 0, reason: .neverClaimed))
  }

  @Test(arguments: Role.allCases)
  func `If the holder's lock is free the node is claimed at once, even with a fresh beat`(role: Role) {
    var rule = rule(role)
    let seen = observation(
      row(7, role.other), lockIsBusy: false, beat: beat(role.other, epoch: 7, counter: 3))
    expect(rule.decide(seen, at: seconds(0)), is: .claim(seen: 7, reason: .holderDied))
  }

  @Test func `The extension leaves a free node for 2 s to an app that wants it`() {
    var rule = rule(.extension)
    let seen = observation(row(7, .extension), lockIsBusy: false, appWantsNode: true)
    expect(rule.decide(seen, at: seconds(10)), is: .wait(for: .appGoesFirst, until: seconds(12)))
    expect(rule.decide(seen, at: seconds(11.999)), is: .wait(for: .appGoesFirst, until: seconds(12)))
    expect(rule.decide(seen, at: seconds(12)), is: .claim(seen: 7, reason: .holderDied))
  }

  @Test func `The app's head start also holds in a container without a claim`() {
    var rule = rule(.extension)
    let seen = observation(nil, lockIsBusy: false, appWantsNode: true)
    expect(rule.decide(seen, at: seconds(0)), is: .wait(for: .appGoesFirst, until: seconds(2)))
  }

  @Test func `The extension does not wait for an app that dies in its head start`() {
    var rule = rule(.extension)
    _ = rule.decide(observation(row(7, .app), lockIsBusy: false, appWantsNode: true), at: seconds(0))
    let decision = rule.decide(observation(row(7, .app), lockIsBusy: false), at: seconds(0.5))
    expect(decision, is: .claim(seen: 7, reason: .holderDied))
  }

  @Test func `The head start begins again after the app held the node meanwhile`() {
    var rule = rule(.extension)
    let free = observation(row(7, .app), lockIsBusy: false, appWantsNode: true)
    _ = rule.decide(free, at: seconds(0))
    _ = rule.decide(observation(row(8, .app), lockIsBusy: true, appWantsNode: true), at: seconds(1))
    let freeAgain = observation(row(8, .app), lockIsBusy: false, appWantsNode: true)
    expect(rule.decide(freeAgain, at: seconds(3)), is: .wait(for: .appGoesFirst, until: seconds(5)))
  }

  @Test func `The app gives the extension no head start`() {
    var rule = rule(.app)
    let seen = observation(row(7, .extension), lockIsBusy: false, appWantsNode: true)
    expect(rule.decide(seen, at: seconds(0)), is: .claim(seen: 7, reason: .holderDied))
  }

  @Test(arguments: Role.allCases)
  func `While the holder's lock is busy and its beats continue, the node is not claimed`(role: Role) {
    var rule = rule(role)
    let holder = row(7, role.other)
    for half in 0..<120 {
      let seen = observation(
        holder, lockIsBusy: true, beat: beat(role.other, epoch: 7, counter: UInt64(half / 4)))
      let decision = rule.decide(seen, at: seconds(Double(half) / 2))
      guard case .wait(for: .holder(holder), _) = decision else {
        Issue.record("\(decision) after \(Double(half) / 2) s")
        return
      }
    }
  }

  @Test(arguments: Role.allCases)
  func `If the holder's lock is busy without a new beat the node is claimed after 5 s`(role: Role) {
    var rule = rule(role)
    let seen = observation(
      row(7, role.other), lockIsBusy: true, beat: beat(role.other, epoch: 7, counter: 3), appWantsNode: true)
    for second in 0..<5 {
      expect(
        rule.decide(seen, at: seconds(Double(second))),
        is: .wait(for: .holder(row(7, role.other)), until: seconds(5)))
    }
    expect(rule.decide(seen, at: seconds(5)), is: .claim(seen: 7, reason: .holderStale))
  }

  @Test func `An observer that was itself paused restarts its 5 s`() {
    var rule = rule(.app)
    let seen = observation(row(7, .extension), lockIsBusy: true)
    _ = rule.decide(seen, at: seconds(0))
    let decision = rule.decide(seen, at: seconds(100))
    expect(decision, is: .wait(for: .holder(row(7, .extension)), until: seconds(105)))
  }

  @Test func `A lock that was free in between restarts the 5 s`() {
    var rule = rule(.extension)
    let busy = observation(row(7, .app), lockIsBusy: true)
    for second in 0..<5 { _ = rule.decide(busy, at: seconds(Double(second))) }
    _ = rule.decide(observation(row(7, .app), lockIsBusy: false, appWantsNode: true), at: seconds(4.5))
    expect(rule.decide(busy, at: seconds(5)), is: .wait(for: .holder(row(7, .app)), until: seconds(10)))
  }

  @Test(arguments: Role.allCases)
  func `Under wait-stale a beat younger than 5 s prevents a claim although the lock is free`(role: Role) {
    var rule = rule(role, .waitStale)
    let stamped = beat(role.other, epoch: 7, counter: 3, at: seconds(100))
    func seen(at second: Double) -> Observation {
      observation(row(7, role.other), lockIsBusy: false, beat: stamped, at: seconds(second))
    }
    let wait = ClaimDecision.wait(for: .holder(row(7, role.other)), until: seconds(0.001))
    expect(rule.decide(seen(at: 104.999), at: seconds(0)), is: wait)
    expect(rule.decide(seen(at: 105), at: seconds(0)), is: .claim(seen: 7, reason: .holderStale))
  }

  @Test func `Under wait-stale a stale beat permits a claim although the lock is busy`() {
    var rule = rule(.app, .waitStale)
    let stamped = beat(.extension, epoch: 7, counter: 3, at: seconds(100))
    let seen = observation(row(7, .extension), lockIsBusy: true, beat: stamped, at: seconds(105))
    expect(rule.decide(seen, at: seconds(0)), is: .claim(seen: 7, reason: .holderStale))
  }

  @Test func `A claim does not own a row of another incarnation or epoch`() {
    var foreign = row(8, .app)
    #expect(claim(8).owns(foreign))
    foreign.incarnation += 1
    #expect(!claim(8).owns(foreign))
    #expect(!claim(8).owns(row(9, .app)))
    #expect(!claim(8).owns(nil))
  }

  /// The reason that a claim shows to the user.
  @Test func `A claim's reason distinguishes release, death and an earlier boot`() {
    var rule = rule(.app)
    let released = beat(.extension, epoch: 7, counter: 3, phase: .released)
    let before = beat(.extension, epoch: 6, counter: 3, phase: .released)
    func reason(_ beat: Beat?, at boot: BootID = boot) -> ClaimReason? {
      var seen = observation(row(7, .extension), lockIsBusy: false, beat: beat)
      seen.boot = boot
      guard case .claim(seen: 7, let reason) = rule.decide(seen, at: seconds(0)) else { return nil }
      return reason
    }
    let another = BootID(high: 9, low: 9)
    expect(reason(released), is: .holderReleased)
    expect(reason(released, at: another), is: .holderReleased)
    expect(reason(before), is: .holderDied, "the release is of an earlier epoch")
    expect(reason(nil), is: .holderDied)
    expect(reason(nil, at: another), is: .earlierBoot)
  }
}

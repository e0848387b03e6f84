import Ground
import TestKit

@testable import Guardrails

/// When a push is read that needs a key.
@Suite("The desk of an extension that needs a key for its pushes") struct PushDeskTests {
  private func milliseconds(_ count: Int64) -> Instant { Instant(nanoseconds: count * 1_000_000) }

  private func desk(_ events: PushDesk.Event...) -> PushDesk {
    var desk = PushDesk(configuration: PushDesk.Configuration())
    for event in events { _ = desk.handle(event, at: milliseconds(0)) }
    return desk
  }

  @Test func `The key is asked for at the launch, once`() {
    var desk = desk()
    expect(desk.handle(.launched, at: milliseconds(0)), is: [.askForKey])
    expect(desk.handle(.pushArrived(1, isSealed: true), at: milliseconds(1)), is: [])
  }

  @Test func `A push that is not sealed is read at once, with or without the key`() {
    var desk = desk(.launched)
    expect(
      desk.handle(.pushArrived(1, isSealed: false), at: milliseconds(1)), is: [.read(push: 1, withKey: false)]
    )
    expect(desk.handle(.keyFound, at: milliseconds(2)), is: [])
    expect(
      desk.handle(.pushArrived(2, isSealed: false), at: milliseconds(3)), is: [.read(push: 2, withKey: true)])
  }

  @Test func `A sealed push waits for the key, and a later one is read at once`() {
    var desk = desk(.launched, .pushArrived(1, isSealed: true))
    expect(desk.handle(.pushArrived(1, isSealed: true), at: milliseconds(1)), is: [])
    expect(desk.handle(.keyFound, at: milliseconds(2)), is: [.read(push: 1, withKey: true)])
    expect(
      desk.handle(.pushArrived(2, isSealed: true), at: milliseconds(3)), is: [.read(push: 2, withKey: true)])
    #expect(desk.deadline == nil)
  }

  @Test(arguments: [PushDesk.Event.keyMissing, .keyWithheld("locked")])
  func `Without the key a push is read all the same, and the next one asks again`(answer: PushDesk.Event) {
    var desk = desk(.launched, .pushArrived(1, isSealed: true))
    expect(desk.handle(answer, at: milliseconds(2)), is: untold(1))
    expect(desk.handle(.pushArrived(2, isSealed: true), at: milliseconds(3)), is: [.askForKey])
    expect(
      desk.handle(.keyFound, at: milliseconds(4)), is: [.record(push: 1), .read(push: 2, withKey: true)])
  }

  private func untold(_ push: UInt64) -> [PushDesk.Directive] {
    [.keep(push: push), .read(push: push, withKey: false)]
  }

  @Test func `A push that the known key does not open has the keychain asked once more, then is told`() {
    var desk = desk(.launched, .keyFound, .pushArrived(1, isSealed: true))
    expect(desk.handle(.notOpened(push: 1), at: milliseconds(1)), is: [.askForKey])
    expect(desk.deadline, is: milliseconds(250))
    expect(desk.handle(.keyFound, at: milliseconds(2)), is: [.read(push: 1, withKey: true)])
    expect(desk.handle(.notOpened(push: 1), at: milliseconds(3)), is: [.read(push: 1, withKey: false)])
    #expect(desk.deadline == nil)
    // A push that is damaged is no reason to distrust the key for the next one.
    expect(
      desk.handle(.pushArrived(2, isSealed: true), at: milliseconds(4)), is: [.read(push: 2, withKey: true)])
  }

  @Test func `A key that was replaced is asked for within the time of the push that it does not open`() {
    var desk = desk(.launched, .keyFound, .pushArrived(1, isSealed: true))
    _ = desk.handle(.notOpened(push: 1), at: milliseconds(100))
    expect(desk.handle(.pushArrived(2, isSealed: true), at: milliseconds(110)), is: [])
    expect(desk.handle(.deadlineReached, at: milliseconds(250)), is: untold(1))
    expect(
      desk.handle(.keyFound, at: milliseconds(300)), is: [.record(push: 1), .read(push: 2, withKey: true)])
  }

  @Test func `A push whose opening took all its time is told at once`() {
    var desk = desk(.launched, .keyFound, .pushArrived(1, isSealed: true))
    expect(desk.handle(.notOpened(push: 1), at: milliseconds(250)), is: [.read(push: 1, withKey: false)])
  }

  @Test func `No more than the newest pushes are kept for the key`() {
    var desk = desk(.launched)
    let most = UInt64(PushDesk.keptLimit)
    for push in 1...most + 1 {
      _ = desk.handle(.pushArrived(push, isSealed: true), at: milliseconds(0))
      let dropped: [PushDesk.Directive] = push > most ? [.drop(push: push - most)] : []
      expect(desk.handle(.keyWithheld("locked"), at: milliseconds(1)), is: dropped + untold(push))
    }
    expect(desk.handle(.keyFound, at: milliseconds(2)), is: (2...most + 1).map { .record(push: $0) })
    expect(desk.handle(.keyFound, at: milliseconds(3)), is: [])
  }

  @Test
  func
    `A keychain that does not answer delays a push by 250 ms, and its late answer serves both it and the next`()
  {
    var desk = desk(.launched, .pushArrived(1, isSealed: true))
    expect(desk.deadline, is: milliseconds(250))
    expect(desk.handle(.deadlineReached, at: milliseconds(249)), is: [])
    expect(desk.handle(.deadlineReached, at: milliseconds(250)), is: untold(1))
    expect(desk.handle(.pushArrived(2, isSealed: true), at: milliseconds(300)), is: [])
    expect(
      desk.handle(.keyFound, at: milliseconds(310)), is: [.record(push: 1), .read(push: 2, withKey: true)])
  }

  @Test func `At the warning its push is read without the key, and at the end every push`() {
    var desk = desk(
      .launched, .pushArrived(1, isSealed: true), .pushArrived(2, isSealed: true),
      .pushArrived(3, isSealed: true))
    expect(desk.handle(.expiryWarned(push: 2), at: milliseconds(1)), is: untold(2))
    expect(desk.handle(.terminationRequested, at: milliseconds(2)), is: untold(1) + untold(3))
    #expect(desk.deadline == nil)
  }

  @Test func `Whatever happens, each push is told once, and within 250 ms`() {
    for seed in 0..<3000 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      var (desk, now) = (desk(.launched), milliseconds(0))
      var (arrived, read): ([UInt64: Instant], [UInt64: Instant]) = ([:], [:])
      var (kept, sealed): (Set<UInt64>, Set<UInt64>) = ([], [])
      func note(_ directives: [PushDesk.Directive]) {
        for directive in directives {
          switch directive {
          case .read(let push, true) where sealed.contains(push) && generator.chance(30):
            note(desk.handle(.notOpened(push: push), at: now))
          case .read(let push, _): #expect(read.updateValue(now, forKey: push) == nil, "seed \(seed)")
          case .keep(let push): #expect(kept.insert(push).inserted && read[push] == nil, "seed \(seed)")
          case .record(let push), .drop(let push):
            #expect(kept.remove(push) != nil && read[push] != nil, "seed \(seed)")
          case .askForKey: break
          }
        }
        #expect(kept.count <= PushDesk.keptLimit + 1)
      }
      for push in 1...20 as ClosedRange<UInt64> {
        arrived[push] = now
        if generator.chance(80) { sealed.insert(push) }
        note(desk.handle(.pushArrived(push, isSealed: sealed.contains(push)), at: now))
        let events: [PushDesk.Event] = [
          .keyMissing, .keyFound, .keyWithheld("x"), .expiryWarned(push: UInt64(generator.below(22))),
          .launched, .deadlineReached,
        ]
        if generator.chance(30) { note(desk.handle(generator.pick(events), at: now)) }
        let later = now + .milliseconds(Int64(generator.below(200)))
        while let deadline = desk.deadline, deadline <= later {
          now = max(now, deadline)
          note(desk.handle(.deadlineReached, at: now))
          guard desk.deadline != deadline else {
            Issue.record("seed \(seed): the deadline does not move on")
            return
          }
        }
        now = max(now, later)
      }
      note(desk.handle(.terminationRequested, at: now))
      expect(read.count, is: arrived.count, "seed \(seed)")
      for (push, instant) in read {
        #expect(instant - (arrived[push] ?? now) <= PushDesk.keyTime, "seed \(seed)")
      }
    }
  }
}

@Suite("Reading a push") struct PushReaderTests {
  private func read(_ text: String) -> Push { PushReader.read(Array(text.utf8), id: 7, as: .phoenix) }

  @Test func `Pushes with the reasons of Phoenix's servers are read, with and without a payment hash`() {
    let hash = String(repeating: "ab", count: 32)
    let push = read(#"{"aps":{"alert":"x"},"reason":"IncomingPayment$","payment_hash":"\#(hash)"}"#)
    expect(push, is: Push(id: 7, reason: .incomingPayment, paymentHash: Bytes32(hex: hash)))
    expect(
      read(#"{ "reason" : "PendingSettlement" , "a" : [ 1 , { } , [ ] ] }"#).reason, is: .pendingSettlement)
    expect(read(#"{"a\"{":{"b":[{"c":"}"},{}]},"reason":"IncomingOnionMessage"}"#).reason, is: .other)
  }

  @Test(
    arguments: [
      #"{{"aps":{"alert":{"ttr*e":"","bo":""}}}:"IncomingPayment","payment_hash":"102"}"#,
      #"{{"a":""}:"x","reason":"IncomingPayment"}"#, #"{["reason"]:"IncomingPayment"}"#,
      #"{"a":1,{"reason":"b"}:2,"reason":"IncomingPayment"}"#, #"{"a":{["b"]:1},"reason":"IncomingPayment"}"#,
      #"{1:2,"reason":"IncomingPayment"}"#, #"{"reason":"x","reason":"IncomingPayment"}"#, "[]", "",
    ]) func `A push with malformed JSON, a repeated name or no JSON object counts as unreadable`(text: String)
  {
    expect(read(text).reason, is: .unreadable)
  }
}

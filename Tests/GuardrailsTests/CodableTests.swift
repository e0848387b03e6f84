import Foundation

@testable import Guardrails

/// A replay is exact only if every event and directive decodes from the journal as it was encoded.
@Suite struct CodableTests {
  private static let beats = Phase.allCases.map { beat(.extension, epoch: .max, counter: .max, phase: $0) }
  private static let observations = [
    observation(nil, lockIsBusy: false),
    observation(row(.max, .extension), lockIsBusy: true, beat: beats[0], appWantsNode: true, at: seconds(-1)),
  ]
  private static let troubles: [Trouble] = [
    .blocked(pid: nil, isStopped: false), .blocked(pid: 7, isStopped: true), .failed("A \"sentence\"\n."),
    .lost("It is gone."),
  ]
  private static let reports: [NodeReport] = [
    .connecting, .established, .busy(.nothing),
    .busy(NodeActivity(isSettling: true, collecting: [paymentHash("aa")], isSplicing: true)),
    .received(payment),
    .stopped, .fenced,
    .refused(highest: .max, container: container), .trouble("x"),
  ]
  private static let reasons: [Push.Reason] = [
    .incomingPayment, .pendingSettlement, .other, .unreadable,
  ]

  static let events: [GuardEvent] =
    [
      .deadlineReached, .launched, .enteredForeground, .enteredBackground, .expiryWarned(push: .max),
      .terminationRequested, .partnerEnded, .runExpired(.max), .claimed(claim(.max)), .claimSuperseded,
      .ownLockWasBusy,
      .moveRequested, .rowRead(nil, appWantsNode: true), .rowRead(row(8, .app), appWantsNode: false),
      .receivedFound([]),
      .receivedFound([payment, secondPayment], push: 3), .receivedNotRead(.failed("x"), push: 3),
      .containerLost("A \"sentence\"\n."), .incomingStored(push: .max),
      .incomingNotStored(.blocked(pid: nil, isStopped: true), push: 1),
      .pushArrived(Push(id: 1, reason: .incomingPayment, announcement: announcements[0])),
      .toldPushRead(Push(id: 1, reason: .incomingPayment, announcement: announcements[0])),
    ] + reasons.map { .pushArrived(push(3, $0, hash: nil)) } + [.pushArrived(push(4))]
    + PresenceMessageTests.all.map { .presenceHeard($0) } + observations.map { .observed($0) }
    + troubles.flatMap { [.lookFailed($0), .claimFailed($0), .rowReadFailed($0)] } + reports.map { .node($0) }

  private static let replaced = ReplacedClaim(epoch: .max, container: otherContainer)

  private static let toContainer: [GuardDirective.Container] =
    [
      .raiseIntent, .withdrawIntent, .look, .claim(seen: .max, reason: .neverClaimed),
      .claim(seen: 0, reason: .holderDied), .claim(seen: 1, reason: .holderStale),
      .claim(seen: 2, reason: .raised), .raiseEpoch(claim(8), above: .max),
      .raiseEpoch(claim(8), above: 9, replacing: replaced), .claim(seen: 3, reason: .holderReleased),
      .claim(seen: 4, reason: .earlierBoot), .readRow, .dropLock, .settle,
    ] + Phase.allCases.map { .beat(epoch: 8, phase: $0, counter: .max) }
  private static let toWallet: [GuardDirective.Wallet] = [
    .readReceived(paymentHash: nil, push: 0), .readReceived(paymentHash: paymentHash("aa"), push: 3),
    .notify(secondPayment), .storeIncoming(record, push: .max), .withdraw(payment: paymentHash("ff")),
    .runServed(.max, .noData),
  ]
  private static let toNode: [GuardDirective.Node] = [
    .startNode(claim(8)), .startNode(claim(8), replacing: replaced), .stopNode(gracefully: true),
    .stopNode(gracefully: false), .acceptNoNewPayment, .endLongPause,
  ]
  private static let toPhone: [GuardDirective.Phone] =
    [
      .backgroundDone, .beginBackgroundTask(1), .endBackgroundTask(1), .completed(push: 1, .newData),
      .completed(push: 1, .failed), .noteFailure(.node("x")), .end(.fenced), .end(.terminated),
      .end(.containerLost), .mayConnect(ConnectionTarget.allCases),
    ] + PresenceMessageTests.all.map { .say($0) } + statuses.map { .show($0) }
    + finishes.map { .finished(push: 1, $0) } + outcomes.map { .deliver(push: 1, $0) }

  static let directives: [GuardDirective] =
    toContainer.map { .container($0) } + toWallet.map { .wallet($0) } + toNode.map { .node($0) }
    + toPhone.map { .phone($0) }

  private static let announcements: [Announcement] =
    Announcement.Kind.allCases.map { Announcement(kind: $0) } + [
      Announcement(
        kind: .incomingHtlc, paymentHash: paymentHash("aa"), amountMsat: .max, isHeld: true, holdEndsAt: -1)
    ]
  private static let record = IncomingRecord(
    paymentHash: paymentHash("aa"), amountMsat: .max, kind: .incomingHtlc, isHeld: true, holdEndsAt: .min)

  private static let outcomes: [PushOutcome] =
    [.received(payment), .partsWait, .partsGivenBack, .appContinues, .usedByAnotherDevice]
    + reasons.map { .nothingReceived($0) } + announcements.map { .announced($0) }

  private static let finishes: [FinishReason] = [
    .totalTime, .idle, .appWantsNode, .handedOver, .received, .unreadablePush, .timeWillExpire, .fenced,
    .terminated, .otherDevice, .outOfReach, .tooManyPushes, .containerLost, .announced,
  ]
  private static let statuses: [Status] = [
    .idle, .waitingForExtension, .waitingForOther(pid: 7), .appGoesFirst, .blocked(pid: nil, isStopped: true),
    .blocked(pid: 7, isStopped: false), .claiming, .connecting(8), .connected(8), .settling(8),
    .releasing(.max), .usedByAnotherDevice, .trouble("x"),
  ]

  private func survives<Value: Codable & Equatable>(_ value: Value) throws {
    let text = try JSONEncoder().encode(value)
    expect(try JSONDecoder().decode(Value.self, from: text), is: value)
  }

  @Test(arguments: events) func `A guard event decodes to itself from JSON`(event: GuardEvent) throws {
    try survives(event)
  }

  @Test(arguments: directives) func `A guard directive decodes to itself from JSON`(
    directive: GuardDirective
  ) throws {
    try survives(directive)
  }

  @Test func `A guard configuration with each takeover rule decodes to itself from JSON`() throws {
    for takeover in Takeover.allCases { try survives(GuardConfiguration(takeover: takeover)) }
  }
}

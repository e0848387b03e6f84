import Ground
import Crypto
import DaemonRuntime
import Guardrails
import Heartbeat
import Lightning
import Wallet
import LightningProvider
@testable import PhonePolicy

/// Journals as the daemons write them, a few records of each core.
enum JournalSamples {
  static var all: [[UInt8]] { [app, `extension`, node, peer, phone].map { Array($0.joined().utf8) } }
  static var lines: [[UInt8]] {
    [app, `extension`, node, peer, phone].joined().map { Array($0.dropLast().utf8) }
  }

  private static func journal<C: Core>(_ type: C.Type, _ configuration: C.Configuration, _ events: [C.Event])
    -> [String]
  {
    var core = C(configuration: configuration)
    var lines = [
      #"{"seq":1,"t":1,"wall":1,"kind":"start","process":"x","pid":7,"start_time":8,"boot":"00","version":"1","arguments":[]}"#,
      #"{"seq":2,"t":1,"wall":1,"kind":"core","core":"\#(C.name)","configuration":\#(json(configuration))}"#,
    ]
    for (number, event) in events.enumerated() {
      let now = Instant(nanoseconds: Int64(number) * 1_000_000_000)
      let directives = core.handle(event, at: now)
      lines.append(
        #"{"seq":\#(number + 3),"t":\#(now.nanoseconds),"wall":1,"kind":"event","core":"\#(C.name)","event":\#(json(event)),"directives":\#(json(directives))}"#
      )
    }
    let end = #"{"seq":\#(events.count + 3),"t":9,"wall":1,"kind":"end","reason":"asked to"}"#
    return (lines + [end]).map { $0 + "\n" }
  }

  private static func json(_ value: some Encodable) -> String {
    (try? JSONLineEncoder().encode(value)) ?? "null"
  }

  private static let row = ClaimRow(
    epoch: 3, role: .extension,
    process: ProcessIdentity(pid: 7, startTime: 8, boot: BootID(high: .max, low: 1)), incarnation: .max,
    container: ContainerID(high: 1, low: .max))
  private static let seen = Observation(
    row: row, holderLockIsBusy: false, beat: nil, appWantsNode: false, boot: row.process.boot,
    bootClock: Instant(nanoseconds: 5))
  private static let claim = Claim(epoch: 4, incarnation: 9, container: row.container)
  private static let received = ReceivedPayment(
    paymentHash: SampleMessages.preimage, amountMsat: 5000, text: "Coffee")

  private static var app: [String] {
    journal(
      AppMachine.self, GuardConfiguration(),
      [
        .launched, .enteredForeground, .observed(seen), .claimed(claim), .node(.connecting),
        .node(.established),
        .node(.busy(NodeActivity(isSettling: true, collecting: [received.paymentHash], isSplicing: true))),
        .node(.received(received)), .rowRead(row, appWantsNode: true),
        .enteredBackground,
        .node(.stopped), .lookFailed(.blocked(pid: 7, isStopped: true)),
      ])
  }

  private static var `extension`: [String] {
    journal(
      ExtensionMachine.self, GuardConfiguration(),
      [
        .launched, .pushArrived(Push(id: 1, reason: .incomingPayment, paymentHash: received.paymentHash)),
        .observed(seen), .claimed(claim), .node(.established),
        .presenceHeard(PresenceMessage(code: .appPing, wantsNode: true, asksForHandover: true)),
        .node(.received(received)), .deadlineReached, .node(.stopped), .terminationRequested,
      ])
  }

  private static var node: [String] {
    let invoice = Invoice(
      paymentHash: SampleMessages.preimage, amountMsat: 5, text: "a", tweak: .zero, expiresAt: 9)
    let own = OutgoingPayment(
      paymentHash: SampleMessages.preimage, amountMsat: 1000, paymentSecret: .zero)
    let claim = SampleMessages.fence
    let owned = ClaimRow(
      epoch: claim.epoch, role: .app, process: row.process, incarnation: claim.incarnation,
      container: claim.container)
    return journal(
      NodeMachine.self, NodeMachine.Configuration(),
      [
        .started(SampleMessages.fence, NodeState(channel: SampleMessages.channels.last)),
        .dialled, .rowRead(owned),
        .received(.initMessage(InitMessage())), .received(.fenceAnswer(SampleMessages.answer)),
        .checkedAfterInit(owned, NodeState(channel: SampleMessages.channels.last, invoices: [invoice])),
      ] + SampleMessages.all.map { .received($0) } + [
        .written, .invoiceMade(invoice), .payRequested(own), .written, .payRequested(own), .closed("x"),
        .fenced,
      ])
  }

  private static var peer: [String] {
    guard
      let channel = try? Channel(
        id: SampleMessages.channelID, localMsat: 9000, remoteMsat: 9000, isOpener: true)
    else { return [] }
    let request = PaymentRequest(
      id: 1, paymentHash: SampleMessages.preimage, amountMsat: 1000, holdUntil: Instant(nanoseconds: 60))
    return journal(
      PeerMachine.self,
      PeerMachine.Configuration(
        isLegacy: false, startedAt: Instant(nanoseconds: 0), state: PeerState(channel: channel)),
      [
        .payRequested(request),
        .externalInvoiceMade(
          ExternalInvoice(
            paymentHash: SHA256.hash(SampleMessages.preimage.bytes), amountMsat: 1000, paymentSecret: .zero,
            preimage: SampleMessages.preimage)), .connected(connection: 1),
      ]
        + SampleMessages.all.map { .received(connection: 1, $0) }
        + [.undecodable(connection: 1, "x"), .closed(connection: 1, "y"), .deadlineReached])
  }

  private static var phone: [String] {
    let alert = NotificationText(title: "a", body: "b")
    return journal(
      PhonePolicy.Phone.self, PhoneConfiguration(),
      [
        .pushArrived(PhonePush(id: 1, alert: alert, hasMutableContent: true)),
        .processStarted(.extension, pid: 7),
        .contentDelivered(push: 1, alert), .serviceFinished(push: 1, reason: "x"),
        .memorySampled(.extension, footprintBytes: 99_999_999, residentBytes: 1),
        .processEnded(.extension, .signalled(9)), .deadlineReached,
        .deviceChanged(.battery(percent: 5)), .deviceChanged(.locked), .deviceChanged(.lockScreen(false)),
        .deviceChanged(.network(false)),
        .pushArrived(PhonePush(id: 2, alert: nil, hasMutableContent: false)),
        .silentPushDone(push: 2, .noData),
        .pushArrived(
          PhonePush(id: 3, alert: nil, hasMutableContent: true, badgeAndSound: BadgeAndSound(badge: 5))),
        .categoriesRegistered([.init(id: "A", actions: [], tellsDismissal: true)]),
        .notificationTouched(id: 1, category: "A", .dismiss), .responseDone(id: 1),
      ])
  }
}

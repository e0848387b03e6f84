import PhonePolicy

@testable import Baton

/// A phone whose extension has received a payment after the app was swiped away.
func sampleView() -> LiveView {
  let second: Int64 = 1_000_000_000
  let now: Int64 = 1_795_608_305 * second
  var view = LiveView(RunView(home: "/home/alice/phone", wallNs: now), RecentRun())
  view.holder.sentence = "held by notifyextd 4712, alive, with current beats"
  view.holder.role = "extension"
  view.holder.pid = 4712
  view.holder.epoch = 2
  view.holder.claimedWallNs = now - 3 * second
  view.holder.isHeld = true
  view.holder.phase = "established"
  view.holder.beatCounter = 6
  view.holder.beatWallNs = now - second / 2
  view.processes = [
    .init(name: "mainappd", state: "not running"),
    .init(
      name: "notifyextd", pid: 4712, state: "serving", footprintBytes: 2_202_010, residentBytes: 6_000_000,
      text: "connected; push 12"),
    .init(name: "iosd", pid: 4702, state: "running", footprintBytes: 1_572_864),
    .init(name: "lspd", pid: 4701, state: "running", footprintBytes: 3_355_444),
  ]
  view.peer = "connected, channel established (epoch 2)"
  view.lspd = PeerFacts()
  view.lspd?.channelEstablished = true
  view.balanceMsat = 1_001_000_000
  view.receivableMsat = 8_999_000_000
  view.paymentsReceived = 1
  view.payments = [
    PaymentEntry(
      WalletView.PaymentFacts(
        id: 1, paymentHash: "f810889d00000000", amountMsat: 1_000_000, epoch: 2,
        receivedWallNs: now - 3 * second), text: nil)
  ]
  view.pushes = [.init(id: 12, kind: "visible", fate: "not shown yet", atWallNs: now - 3 * second)]
  view.pushesCount = 12
  view.ends = [
    .init(
      process: "mainappd", pid: 4711, wasKilled: true, reason: "killed: swiped away by the user",
      atWallNs: now - 5 * second)
  ]
  view.events = [
    ("iosd", "push 12 arrives: “Incoming payment”, Open the app to receive"),
    ("iosd", "starts the extension: launched for push 12"), ("notifyextd", "started as process 4712"),
    ("notifyextd", "claimed epoch 2 (the holder died without a release)"),
    ("lspd", "connection 2 of epoch 2: accepted"), ("notifyextd", "received 1,000 sat"),
  ].enumerated().map { number, event in
    .init(process: event.0, text: event.1, atWallNs: now - Int64(6 - number) * second / 2)
  }
  return view
}

@testable import Baton

/// A phone whose extension has received a payment after the app was swiped away.
func sampleView() -> LiveView {
  let second: Int64 = 1_000_000_000
  let now: Int64 = 1_795_608_305 * second
  var view = LiveView(home: "/home/alice/phone", wallNs: now)
  view.holder.sentence = "held by notifyextd 4712, alive, with current beats"
  view.holder.role = "extension"
  view.holder.pid = 4712
  view.holder.epoch = 2
  view.holder.claimedAtWallNs = now - 3 * second
  view.holder.isHeld = true
  view.holder.phase = "established"
  view.holder.beat = 6
  view.holder.beatAtWallNs = now - second / 2
  view.processes = [
    .init(name: "mainappd", state: "not running"),
    .init(
      name: "notifyextd", pid: 4712, state: "serving", footprintBytes: 2_202_010, residentBytes: 6_000_000,
      text: "connected; push 12"),
    .init(name: "iosd", pid: 4702, state: "running", footprintBytes: 1_572_864),
    .init(name: "lspd", pid: 4701, state: "running", footprintBytes: 3_355_444),
  ]
  view.peer.sentence = "connected, channel established (epoch 2)"
  view.peer.isConnected = true
  view.peer.isEstablished = true
  view.peer.epoch = 2
  view.balanceMsat = 1_001_000_000
  view.receivableMsat = 8_999_000_000
  view.paymentsReceived = 1
  view.payments = [
    .init(
      way: "received", id: 1, amountMsat: 1_000_000, paymentHash: "f810889d00000000", state: "paid",
      atWallNs: now - 3 * second)
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

import PhoneClient
import Ground
import Crypto
import DaemonRuntime
import Glibc

/// The demo's acts. Each act ends when its events are in the journals.
struct DemoStory {
  struct Outcome: Sendable {
    var settled = 0
    /// From the extension's release to the app's connection.
    var handover: TimeSpan?
    /// From the kill to the app's connection.
    var takeover: TimeSpan?
  }

  let stage: DemoStage
  let isQuick: Bool
  private var outcome = Outcome()
  private var driver: PhoneDriver { stage.driver }

  init(stage: DemoStage, isQuick: Bool) {
    self.stage = stage
    self.isQuick = isQuick
  }

  static func play(on stage: DemoStage, isQuick: Bool) throws -> Outcome {
    var story = DemoStory(stage: stage, isQuick: isQuick)
    try story.play()
    return story.outcome
  }

  private mutating func play() throws {
    let invoices = try makeInvoices()
    try payWithAppClosed(invoices[0])
    try payAndCutIn(invoices[1])
    try goHomeAndQuit()
    try payAndKill(invoices[2])
    stage.headline("The user swipes the app away")
    try quitApp()
  }

  // MARK: Acts

  private func makeInvoices() throws -> [PayableInvoice] {
    stage.headline("The user opens the wallet and makes three invoices")
    try driver.open()
    try stage.wait(for: "the app to be connected", from: 0) {
      $0.process == "mainappd" && $0.what == .established
    }
    var invoices: [PayableInvoice] = []
    for (amount, text) in [(UInt64(5000), "Coffee"), (21_000, "Lunch"), (100_000, "Rent")] {
      let invoice = try driver.makeInvoice(amountMsat: amount * 1000, text: text, expirySeconds: 3600)
      invoices.append(invoice)
      stage.remark("invoice for \(HumanText.amount(msat: invoice.amountMsat)) for \(text)")
    }
    try quitApp()
    return invoices
  }

  private mutating func payWithAppClosed(_ invoice: PayableInvoice) throws {
    stage.headline("Payment 1 of 3: the app is closed")
    let place = stage.now
    try settle(invoice, by: try begin(invoice), from: place)
    if isQuick {
      stage.remark("the extension would wait 5 s for more payments; the user opens the app instead")
      try driver.open()
    }
    try stage.wait(for: "a notification of the payment", from: place) {
      if case .notified(_, let key?, _, _) = $0.what {
        key == invoice.paymentHash.hex
      } else {
        false
      }
    }
    try stage.wait(for: "the extension to finish", from: place) {
      if case .finished = $0.what { true } else { false }
    }
    if isQuick {
      try connected(from: place)
      try quitApp()
    }
  }

  private mutating func payAndCutIn(_ invoice: PayableInvoice) throws {
    stage.headline("Payment 2 of 3: the user opens the app while the extension receives")
    let place = stage.now
    let payment = try begin(invoice)
    try stage.wait(for: "the extension to be connected", from: place) {
      $0.process == "notifyextd" && $0.what == .established
    }
    try driver.open()
    let first = try stage.wait(
      for: "the app to say that the extension receives, or to claim the node", from: place
    ) { $0.process == "mainappd" && Self.answersTheOpening($0.what) }
    if case .claimed = first.what {
      stage.remark(
        "the extension released the node before the app first checked: the app had nothing to wait for")
    }
    let released = try stage.wait(for: "the extension to release the node", from: place) {
      if case .released = $0.what { $0.process == "notifyextd" } else { false }
    }
    let handover = try connected(from: place).at - released.at
    outcome.handover = handover
    stage.remark("from the extension's release to the connected app: \(HumanText.span(handover))")
    try settle(invoice, by: payment, from: place)
    try stage.wait(for: "a notification", from: place) { if case .notified = $0.what { true } else { false } }
    try settled(from: place)
  }

  /// An extension without a pending payment releases the node within a millisecond of the app's request. On a busy
  /// machine that may be before the app's first look; then the app never waits.
  private static func answersTheOpening(_ what: Moment.What) -> Bool {
    switch what {
    case .shows(.waitingForExtension), .claimed: true
    default: false
    }
  }

  private func goHomeAndQuit() throws {
    stage.headline("The user goes home, then swipes the app away")
    let place = stage.now
    try driver.goHome()
    try stage.wait(for: "the app to release the node", from: place) {
      if case .released = $0.what { $0.process == "mainappd" } else { false }
    }
    try quitApp()
  }

  private mutating func payAndKill(_ invoice: PayableInvoice) throws {
    stage.headline("Payment 3 of 3: kill -9 for the extension while it holds the node")
    let place = stage.now
    let payment = try begin(invoice)
    let claim = try stage.wait(for: "the extension to claim the node", from: place) {
      if case .claimed = $0.what { $0.process == "notifyextd" } else { false }
    }
    guard let process = WatchedProcess(pid: claim.pid), process.send(SIGKILL) else {
      throw DemoStage.Failure(
        expected: "the extension \(claim.pid) to be killed", happened: "it had already ended")
    }
    let killed = Clock.monotonicNow
    stage.remark("killed notifyextd \(claim.pid); the user opens the app")
    try driver.open()
    let taken = try stage.wait(for: "the app to claim the next epoch", from: place) {
      if case .claimed = $0.what { $0.process == "mainappd" } else { false }
    }
    let connected = try connected(from: place)
    try checkNextEpoch(claim, taken)
    outcome.takeover = connected.at - killed
    stage.remark(
      "from the kill to the connected app: \(HumanText.span(connected.at - killed)), its start included (claimed after \(HumanText.span(taken.at - killed)))"
    )
    try settle(invoice, by: payment, from: place)
    try settled(from: place)
  }

  private func checkNextEpoch(_ before: Moment, _ after: Moment) throws {
    guard case .claimed(let old, _) = before.what, case .claimed(let new, _) = after.what, new == old + 1
    else {
      throw DemoStage.Failure(
        expected: "the app to claim the epoch after the extension's",
        happened: "\(before.sentence); \(after.sentence)")
    }
  }

  // MARK: Steps

  @discardableResult
  private func connected(from place: Int) throws -> Moment {
    try stage.wait(for: "the app to be connected", from: place) {
      $0.process == "mainappd" && $0.what == .established
    }
  }

  /// Waits until the channel is done with the payment: the sender has the preimage earlier, and an app swiped away
  /// then would complete the commitment only at its next start.
  private func settled(from place: Int) throws {
    let received = try stage.wait(for: "the wallet to record the payment", from: place) {
      if case .received = $0.what { true } else { false }
    }
    try stage.wait(for: "the channel to complete the payment", from: place) {
      if case .shows(.connected) = $0.what { $0.at > received.at } else { false }
    }
  }

  private func quitApp() throws {
    let place = stage.now
    try driver.quit()
    try stage.wait(for: "the app to end", from: place) {
      if case .ended(.app, _) = $0.what { true } else { false }
    }
  }

  private func begin(_ invoice: PayableInvoice) throws -> ControlClient {
    let client = try driver.phone.connect(to: .lspd)
    try client.send(invoice.payRequest(waits: true))
    return client
  }

  /// Checks the sender's view: a preimage that matches the payment hash.
  private mutating func settle(_ invoice: PayableInvoice, by client: ControlClient, from place: Int) throws {
    try stage.wait(for: "the payment to settle", from: place, within: .seconds(60)) { moment in
      switch moment.what {
      case .settled, .failed: true
      default: false
      }
    }
    let answer = PaymentAnswer(try client.receive(timeout: .seconds(5)))
    guard answer.isSettled, let preimage = answer.preimage.flatMap({ Bytes32(hex: $0) }),
      SHA256.hash(preimage.bytes) == invoice.paymentHash
    else {
      throw DemoStage.Failure(
        expected: "the sender to get the preimage of the invoice",
        happened: answer.sentence(invoice, took: .zero))
    }
    outcome.settled += 1
  }
}

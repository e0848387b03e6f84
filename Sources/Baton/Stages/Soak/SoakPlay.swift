import Ground
import DaemonRuntime

/// Plays rounds on one phone. A round is a payment with a push while the app is closed or in the background; then the
/// app comes to the front, takes over the node and makes the next invoice.
final class SoakPlay {
  /// How long the wallet processes live.
  enum Style {
    /// The app is swiped away after each round; every other push starts a new extension.
    case shortLives
    /// The app is only sent to the background, and one extension serves every push.
    case longLives
  }

  let driver: PhoneDriver
  private(set) var settled = 0
  private(set) var slowest = TimeSpan.zero
  private(set) var totalPaying = TimeSpan.zero
  private var invoice: PayableInvoice?
  private var number = 0

  init(_ driver: PhoneDriver) { self.driver = driver }

  /// Makes the first invoice; afterwards only the daemons run.
  func begin() throws {
    try driver.openAndConnect()
    invoice = try driver.makeInvoice(amountMsat: 1000)
    try driver.comeToRest()
  }

  func round(_ style: Style) throws {
    number += 1
    do {
      try play(style)
    } catch let failure as Wait.Failure {
      throw Wait.Failure(description: "\(failure), in round \(number)")
    }
  }

  private func play(_ style: Style) throws {
    if style == .shortLives && number.isMultiple(of: 2) { try driver.endExtension() }
    try pay()
    try driver.openAndConnect()
    invoice = try driver.makeInvoice(amountMsat: 1000)
    switch style {
    case .shortLives: try driver.quitAndEnd()
    case .longLives: try driver.goHomeAndRelease()
    }
  }

  private func pay() throws {
    guard let invoice else { throw Wait.Failure(description: "there is no invoice to pay") }
    try driver.waitUntilAway()
    let start = Clock.monotonicNow
    let answer = try driver.pay(invoice, waits: true)
    guard answer.isSettled else {
      throw Wait.Failure(
        description: "payment \(number) ended as \(answer.state) (\(answer.reason ?? "no reason"))")
    }
    let took = Clock.monotonicNow - start
    settled += 1
    slowest = max(slowest, took)
    totalPaying = TimeSpan(nanoseconds: totalPaying.nanoseconds + took.nanoseconds)
  }
}

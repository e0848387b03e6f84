import BadWire
import LightningIO
import Wallet

@Suite("The pair on real processes: the wallet moves during a settlement", .serialized, .waits)
struct MovedInASettlementTests {
  private final class Cable {
    /// The byte limit of the next connection; later ones carry no data.
    var cutAfter: Int?
    var proxy: BadWireProxy!

    func habits() -> BadWire.Habits {
      var habits = BadWire.Habits()
      habits.cutAfter = cutAfter
      if cutAfter != nil { cutAfter = 0 }
      return habits
    }
  }

  private let phone: TestPhone
  private let cable = Cable()

  init() throws {
    phone = try TestPhone()
    let peer = try #require(phone.address.flatMap { PeerAddress($0) })
    let cable = cable
    cable.proxy = try BadWireProxy(to: peer.place, loop: phone.loop) { _ in cable.habits() }
    phone.peerAddress = PeerAddress(node: peer.node, place: cable.proxy.place).description
  }

  /// `update_fulfill_htlc` and its `commitment_signed` are 242 bytes on the wire: at least one cut is in them.
  @Test
  func `A payment whose connection is cut at any stage settles once after a move to a new container`() throws
  {
    var app = try phone.launchApp()
    try phone.connect(app)
    var balance: UInt64 = 1_000_000_000
    var cuts = 0
    for limit in stride(from: 1500, through: 6000, by: 115) {
      let first = try phone.invoice(1000, app)
      let second = try phone.invoice(2000, app)
      // A settled payment after the second invoice brings that invoice into the LSP's backup.
      try phone.receive(first)
      let releases = app.count("background-end")
      phone.home(app)
      try phone.wait("the app to have released the node") { app.count("background-end") > releases }
      try phone.pay(second)
      cable.cutAfter = limit
      let before = cable.proxy.connections
      phone.open(app)
      try phone.wait("the cut, or the settlement") {
        cable.proxy.connections > before + 1 || (try? phone.outcome(second)) == "settled"
      }
      let isCut = cable.proxy.connections > before + 1
      try phone.kill(app)
      cable.cutAfter = nil
      guard isCut else { break }
      cuts += 1
      app = try move(to: "old-\(limit)")
      try phone.waitUntilSettled(second)
      balance += 3000
      var last: UInt64?
      do {
        try phone.wait("the balance") {
          last = try? phone.balanceMsat()
          return last == balance
        }
      } catch {
        Issue.record(
          "cut after \(limit) bytes: \(last ?? 0) msat, and not \(balance); the app: \(app.statuses)")
        return
      }
      let received = try phone.receivedPayments()
      #expect([[], [second.paymentHash.hex]].contains(received), "cut after \(limit) bytes")
    }
    // From the handshake to the end of the payment.
    #expect(cuts > 10)
  }

  private func move(to place: String) throws -> HeldProcess {
    try FileManager.default.moveItem(atPath: "\(phone.home)/AppGroup", toPath: "\(phone.home)/\(place)")
    let app = try phone.launchApp()
    phone.open(app)
    try phone.wait("the app to be refused") { app.status == Status.usedByAnotherDevice.text }
    app.ask(place, ControlMessage("restore"))
    try phone.wait("the answer") { app.answer(to: place) != nil }
    expect(app.answer(to: place)?.verb, is: "restored")
    return app
  }
}

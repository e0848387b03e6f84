import Ground
import Heartbeat
import PhonePolicy
import SimulationSupport
import Testing

@testable import Simulation

/// App and extension in many interleavings: the wanted process gets the node in time, and no payment or text is lost or
/// doubled.
@Suite("App and extension together") struct TogetherTests {
  static let numbers = 0..<20 as Range<UInt64>

  /// A payment for a wallet whose app is in the background, with the extension in the awaited state.
  private func pushed(
    _ number: UInt64, afterContent: AfterContent = .suspend,
    until isReached: (World) -> Bool = { $0.isConnected(.extension) }
  ) -> Story {
    var story = Story.withAppBehind(number, afterContent: afterContent)
    story.world.make(.pay(0))
    #expect(story.waits(.seconds(2)) { isReached($0) })
    return story
  }

  /// An app in the foreground whose connection `end` ends. Pushes go to the extension.
  private func withoutWire(_ number: UInt64, _ end: (inout World) -> Void) -> Story {
    var story = Story.withInvoice(number, foregroundPushes: .extension)
    end(&story.world)
    #expect(story.waits(.seconds(1)) { $0.openWire == nil })
    return story
  }

  @Test(arguments: numbers)
  func `A connected extension hands over within 2 s and has delivered its text by then`(number: UInt64) {
    var story = pushed(number)
    story.world.make(.open)
    #expect(story.waits(.seconds(2)) { $0.owns(.app) })
    #expect(story.world.pushes.map(\.shown) == [1])
    #expect(story.waits(.seconds(2)) { $0.isReceivedOnce })
  }

  @Test(arguments: numbers)
  func `An extension that is not connected releases the node to the app within 2 s`(number: UInt64) {
    var story = pushed(number, until: \.isDialling)
    story.world.make(.open)
    #expect(story.waits(.seconds(2)) { $0.owns(.app) })
    #expect(story.waits(.seconds(2)) { $0.isReceivedOnce && $0.pushes.map(\.shown) == [1] })
  }

  @Test(arguments: numbers)
  func `An app that dies before its claim leaves the payment to the extension`(number: UInt64) {
    var story = pushed(number, until: \.isDialling)
    story.world.make(.open)
    #expect(story.waits(.seconds(1)) { $0.life(.extension)?.claim == nil })
    #expect(story.world.life(.app)?.claim == nil)
    story.world.make(.kill(.app))
    #expect(story.waits(.seconds(3)) { $0.isReceivedOnce })
    #expect(story.waits(.seconds(30)) { $0.pushes.map(\.shown) == [1] })
    #expect(story.world.container.value.row?.role == .extension)
  }

  @Test(arguments: numbers)
  func `With all presence messages lost the extension sees the intent lock and hands over`(number: UInt64) {
    var story = pushed(number)
    story.losesLetters = true
    story.world.make(.open)
    #expect(story.waits(.seconds(5)) { $0.owns(.app) })
    #expect(story.world.pushes.map(\.shown) == [1])
    #expect(story.waits(.seconds(2)) { $0.isReceivedOnce })
  }

  @Test(arguments: numbers)
  func `The extension takes over from a killed app within 1 s`(number: UInt64) {
    var story = withoutWire(number) { $0.make(.kill(.app)) }
    story.world.make(.pay(0))
    #expect(story.waits(.seconds(1)) { $0.owns(.extension) })
    #expect(story.waits(.seconds(2)) { $0.isReceivedOnce })
  }

  @Test(arguments: numbers)
  func `A frozen extension is replaced after 5 s, and ends fenced when thawed`(number: UInt64) {
    var story = pushed(number, afterContent: .run)
    story.world.make(.freeze(.extension))
    story.world.make(.open)
    #expect(!story.waits(.milliseconds(4_900)) { $0.owns(.app) }, "not before 5 s without a beat")
    #expect(story.waits(.seconds(2)) { $0.owns(.app) })
    story.world.make(.thaw(.extension))
    #expect(story.waits(.seconds(5)) { $0.life(.extension) == nil }, "fenced, and ended")
    #expect(story.world.owns(.app))
    #expect(story.world.pushes.map(\.shown) == [1])
    #expect(story.waits(.seconds(2)) { $0.isReceivedOnce })
  }

  @Test(arguments: numbers)
  func `A fenced extension that is suspended after its content ends at the next push, which is served`(
    number: UInt64
  ) {
    var story = pushed(number)
    story.world.make(.freeze(.extension))
    story.world.make(.open)
    #expect(story.waits(.seconds(7)) { $0.owns(.app) })
    story.world.make(.thaw(.extension))
    #expect(story.waits(.seconds(2)) { $0.pushes.map(\.shown) == [1] })
    let fenced = story.world.life(.extension)?.identity
    story.world.make(.invoice)
    #expect(story.waits(.seconds(5)) { $0.unpaidInvoices.count == 1 })
    story.quits()
    story.world.make(.pay(1))
    #expect(story.waits(.seconds(12)) { $0.pushes.map(\.shown) == [1, 1] })
    #expect(story.world.payments.allSatisfy { $0.state == .paid })
    #expect(story.world.life(.extension)?.identity != fenced)
  }

  @Test(arguments: numbers)
  func `A frozen app loses no payment, and gets the node back when thawed`(number: UInt64) {
    // Without the cut the LSP would wait for the app until its ping times out.
    var story = withoutWire(number) { world in
      world.make(.freeze(.app))
      world.cutAll()
    }
    story.world.make(.pay(0))
    #expect(story.waits(.seconds(7)) { $0.isReceivedOnce })
    #expect(story.world.container.value.row?.role == .extension)
    story.world.make(.thaw(.app))
    #expect(story.waits(.seconds(10)) { $0.owns(.app) && $0.pushes.map(\.shown) == [1] })
  }

  @Test(arguments: numbers)
  func `Going home gives the node to a waiting extension`(number: UInt64) {
    var story = withoutWire(number) { $0.cutAll() }
    story.world.make(.pay(0))
    #expect(story.waits(.seconds(1)) { $0.isExtensionWaiting })
    story.world.make(.home)
    #expect(story.waits(.seconds(2)) { $0.isReceivedOnce && $0.phone.isAppIdle })
    #expect(story.waits(.seconds(10)) { $0.pushes.map(\.shown) == [1] })
  }
}

extension World {
  fileprivate func owns(_ role: Role) -> Bool {
    isConnected(role) && container.value.isOwned(by: life(role)?.claim)
  }

  fileprivate var isReceivedOnce: Bool { isPaid && container.value.received.count == 1 }

  /// The extension's node runs and is not connected.
  fileprivate var isDialling: Bool { life(.extension)?.claim != nil && !isConnected(.extension) }

  fileprivate var isExtensionWaiting: Bool {
    if case .waitingForOther = life(.extension)?.status { true } else { false }
  }

  fileprivate mutating func cutAll() { while let wire = openWire { make(.cut(wire: wire)) } }
}

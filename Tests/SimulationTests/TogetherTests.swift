import Ground
import Heartbeat
import SimulationSupport
import Testing

@testable import Simulation

/// App and extension against each other, in any order of what both do: how soon the one that is wanted has the node, and that
/// neither payment nor text is lost or doubled on the way.
@Suite("App and extension together") struct TogetherTests {
  static let numbers = 0..<20 as Range<UInt64>

  /// A payment for a wallet whose app is behind, and the extension has come as far as this.
  private func pushed(_ number: UInt64, until isSo: (World) -> Bool = { $0.isConnected(.extension) }) -> Story
  {
    var story = Story.withAppBehind(number)
    story.world.make(.pay(0))
    #expect(story.waits(.seconds(2)) { isSo($0) })
    return story
  }

  /// An app in front whose connection has ended like this. Pushes go to the extension all the same.
  private func withoutWire(_ number: UInt64, _ end: (inout World) -> Void) -> Story {
    var story = Story.withInvoice(number, foregroundPushes: .extension)
    end(&story.world)
    #expect(story.waits(.seconds(1)) { $0.openWire == nil })
    return story
  }

  @Test("A connected extension hands over within 2 s, and has told of the push by then", arguments: numbers)
  func handover(number: UInt64) {
    var story = pushed(number)
    story.world.make(.open)
    #expect(story.waits(.seconds(2)) { $0.owns(.app) })
    #expect(story.world.pushes.map(\.shown) == [1])
    #expect(story.waits(.seconds(2)) { $0.isReceivedOnce })
  }

  @Test("An extension that is not connected yet steps back", arguments: numbers)
  func stepsBack(number: UInt64) {
    var story = pushed(number, until: \.isDialling)
    story.world.make(.open)
    #expect(story.waits(.seconds(2)) { $0.owns(.app) })
    #expect(story.waits(.seconds(2)) { $0.isReceivedOnce && $0.pushes.map(\.shown) == [1] })
  }

  @Test("An app that dies before it claims leaves the payment to the extension", arguments: numbers)
  func appDies(number: UInt64) {
    var story = pushed(number, until: \.isDialling)
    story.world.make(.open)
    #expect(story.waits(.seconds(1)) { $0.life(.extension)?.claim == nil })
    #expect(story.world.life(.app)?.claim == nil)
    story.world.make(.kill(.app))
    #expect(story.waits(.seconds(3)) { $0.isReceivedOnce })
    #expect(story.waits(.seconds(30)) { $0.pushes.map(\.shown) == [1] })
    #expect(story.world.container.value.row?.role == .extension)
  }

  @Test("Every message may be lost: the intent is read with the next beat", arguments: numbers)
  func noMessages(number: UInt64) {
    var story = pushed(number)
    story.losesLetters = true
    story.world.make(.open)
    #expect(story.waits(.seconds(5)) { $0.owns(.app) })
    #expect(story.world.pushes.map(\.shown) == [1])
    #expect(story.waits(.seconds(2)) { $0.isReceivedOnce })
  }

  @Test("An app that is killed is followed by the extension at once", arguments: numbers)
  func killedApp(number: UInt64) {
    var story = withoutWire(number) { $0.make(.kill(.app)) }
    story.world.make(.pay(0))
    #expect(story.waits(.seconds(1)) { $0.owns(.extension) })
    #expect(story.waits(.seconds(2)) { $0.isReceivedOnce })
  }

  @Test(
    "A frozen extension is replaced after 5 s of silence, and its zombie harms nobody", arguments: numbers)
  func frozenExtension(number: UInt64) {
    var story = pushed(number)
    story.world.make(.freeze(.extension))
    story.world.make(.open)
    #expect(!story.waits(.milliseconds(4_900)) { $0.owns(.app) }, "not before five seconds of silence")
    #expect(story.waits(.seconds(2)) { $0.owns(.app) })
    story.world.make(.thaw(.extension))
    #expect(story.waits(.seconds(5)) { $0.life(.extension) == nil }, "fenced, and ended")
    #expect(story.world.owns(.app))
    #expect(story.world.pushes.map(\.shown) == [1])
    #expect(story.waits(.seconds(2)) { $0.isReceivedOnce })
  }

  @Test("A frozen app loses no payment, and takes the node back when it goes on", arguments: numbers)
  func frozenApp(number: UInt64) {
    // Uncut, the peer would wait for the app as long as it bears silence.
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

  @Test("Going home gives the node to an extension that waits for it", arguments: numbers)
  func home(number: UInt64) {
    var story = withoutWire(number) { $0.cutAll() }
    story.world.make(.pay(0))
    #expect(story.waits(.seconds(1)) { $0.isExtensionWaiting })
    story.world.make(.home)
    #expect(story.waits(.seconds(2)) { $0.isReceivedOnce && $0.phone.hasAppLetGo })
    #expect(story.waits(.seconds(10)) { $0.pushes.map(\.shown) == [1] })
  }
}

extension World {
  fileprivate func owns(_ role: Role) -> Bool {
    isConnected(role) && container.value.isOwned(by: life(role)?.claim)
  }

  fileprivate var isReceivedOnce: Bool { isPaid && container.value.received.count == 1 }

  /// The extension's node runs, and is not connected yet.
  fileprivate var isDialling: Bool { life(.extension)?.claim != nil && !isConnected(.extension) }

  fileprivate var isExtensionWaiting: Bool {
    if case .waitingForOther = life(.extension)?.status { true } else { false }
  }

  fileprivate mutating func cutAll() { while let wire = openWire { make(.cut(wire: wire)) } }
}

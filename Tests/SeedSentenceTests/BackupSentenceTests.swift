import Ground
import Heartbeat
import SimulationSupport
import Testing

@testable import LightningProvider
@testable import Simulation

/// Phoenix's text on guardrail #4; numbers are its lines.
@Suite("Seed sentences: guardrail #4, the channel's state") struct BackupSentenceTests {
  static let numbers = 1...8 as ClosedRange<UInt64>

  private func revision(_ story: Story) -> UInt64 { story.world.container.value.node.channel?.revision ?? 0 }

  /// State X, and the extension's X+1 after it.
  private func received(_ story: inout Story) -> (before: UInt64, after: UInt64) {
    let before = revision(story)
    story.world.make(.pay(0))
    #expect(story.waits { $0.isPaid })
    #expect(story.world.container.value.row?.role == .extension)
    #expect(story.waits { $0.life(.extension)?.claim == nil })
    return (before, revision(story))
  }

  @Test(arguments: numbers)
  func `128: 'store & restore channel backups': each payment stores a new backup with the LSP`(number: UInt64)
  {
    var story = Story.withAppBehind(number)
    _ = received(&story)
    let first = story.world.peer.value.state.backup
    #expect(first != nil)
    story.world.make(.open)
    #expect(story.waits { $0.isSettled })
    story.world.make(.invoice)
    #expect(story.waits { !$0.unpaidInvoices.isEmpty })
    story.world.make(.pay(1))
    #expect(story.waits { $0.isSettled && $0.payments.count == 2 })
    #expect(story.world.peer.value.state.backup != nil)
    #expect(story.world.peer.value.state.backup != first)
  }

  @Test(arguments: numbers)
  func `132 and 133: the extension 'updates to channel state X+1' while the app is in the background`(
    number: UInt64
  ) {
    var story = Story.withAppBehind(number)
    let states = received(&story)
    #expect(states.after > states.before)
    #expect(story.world.container.value.row?.role == .extension)
  }

  @Test(arguments: numbers)
  func `134 and 135: the app gets state X+1 with its claim, not from a backup`(number: UInt64) {
    var story = Story.withAppBehind(number)
    let states = received(&story)
    // Without a backup the app's state can only be the container's.
    story.world.peer.value.state.backup = nil
    story.world.make(.open)
    #expect(story.waits { $0.isSettled })
    #expect((story.world.life(.app)?.soundRevision ?? 0) >= states.after)
    #expect(revision(story) >= states.after)
  }

  @Test(arguments: numbers)
  func `135: after a restore of an old database the app gets X+1 'using the peer's channel backup'`(
    number: UInt64
  ) {
    var story = Story.withAppBehind(number)
    story.world.make(.copyDatabase)
    let states = received(&story)
    let balance = story.world.container.value.node.channel?.localMsat
    story.world.make(.restoreCopy)
    #expect(revision(story) == states.before)
    story.world.make(.open)
    #expect(story.waits { $0.isSettled })
    #expect(revision(story) >= states.after)
    #expect(story.world.container.value.node.channel?.localMsat == balance)
  }
}

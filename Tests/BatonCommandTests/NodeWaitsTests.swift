import Guardrails
import PhonePolicy

@testable import Baton

/// The app's waits for the node, as `baton demo` and `baton run --events` print them.
@Suite struct NodeWaitsTests {
  private struct Record<Event: Encodable, Directive: Encodable>: Encodable {
    var seq = 1
    var t: Int64
    var wall = 0
    var kind = "event"
    var core: String
    var event: Event
    var directives: [Directive]
  }

  private var waits = NodeWaits()

  private mutating func record(
    _ core: String, _ milliseconds: Int64, _ event: some Encodable, _ directives: [some Encodable]
  ) throws -> NodeWaits.Wait? {
    let record = Record(t: milliseconds * 1_000_000, core: core, event: event, directives: directives)
    let line = try #require(JournalLine(number: 1, bytes: Array(try JSONLineEncoder().encode(record).utf8)))
    return waits.ended(by: .init(process: core, pid: 1, file: "", line: line))
  }

  private mutating func phone(
    at milliseconds: Int64, _ event: PhoneEvent, _ directives: [PhoneDirective] = []
  ) throws -> NodeWaits.Wait? {
    try record(PhonePolicy.Phone.name, milliseconds, event, directives)
  }

  private mutating func notifier(
    at milliseconds: Int64, _ event: GuardEvent, _ directives: [GuardDirective] = []
  ) throws -> NodeWaits.Wait? {
    try record(ExtensionMachine.name, milliseconds, event, directives)
  }

  private mutating func appConnects(at milliseconds: Int64) throws -> NodeWaits.Wait? {
    try record(AppMachine.name, milliseconds, GuardEvent.node(.established), [GuardDirective]())
  }

  private static let claimed = GuardEvent.claimed(
    Claim(epoch: 2, incarnation: 7, container: ContainerID(high: 1, low: 2)))
  private static let released = GuardDirective.container(.beat(epoch: 2, phase: .released, counter: 9))

  private mutating func extensionDies(at milliseconds: Int64) throws {
    #expect(
      try phone(
        at: milliseconds, .deadlineReached, [.recordEnd(.extension, .killedFromOutside(signal: 9))]) == nil)
  }

  @Test mutating func `The wait of an app opened before the extension's release counts from the release`()
    throws
  {
    #expect(try notifier(at: 10, Self.claimed) == nil)
    #expect(try phone(at: 20, .userOpened) == nil)
    #expect(try notifier(at: 30, .deadlineReached, [Self.released]) == nil)
    let wait = try appConnects(at: 42)
    expect(wait, is: .init(kind: .release, took: .milliseconds(12)))
    expect(wait?.sentence, is: "from the extension's release to the connected app: 12 ms")
    #expect(try appConnects(at: 50) == nil, "a redial is no wait")
  }

  @Test mutating func `An app opened after the extension's release has no wait`() throws {
    #expect(try notifier(at: 10, Self.claimed) == nil)
    #expect(try notifier(at: 30, .deadlineReached, [Self.released]) == nil)
    #expect(try phone(at: 40, .userOpened) == nil)
    #expect(try appConnects(at: 55) == nil)
  }

  @Test
  mutating func `If the extension dies holding the node, the wait of an open app counts from the death`()
    throws
  {
    #expect(try notifier(at: 10, Self.claimed) == nil)
    #expect(try phone(at: 20, .userOpened) == nil)
    try extensionDies(at: 30)
    expect(try appConnects(at: 37), is: .init(kind: .death, took: .milliseconds(7)))
  }

  @Test
  mutating func
    `If the extension died holding the node, the wait of an app opened later counts from the opening`() throws
  {
    #expect(try notifier(at: 10, Self.claimed) == nil)
    try extensionDies(at: 30)
    #expect(try phone(at: 40, .userOpened) == nil)
    expect(try appConnects(at: 90), is: .init(kind: .opening(startsApp: false), took: .milliseconds(50)))
  }

  @Test mutating func `The start of the app is named only if opening the app launched a process`() throws {
    #expect(try notifier(at: 10, Self.claimed) == nil)
    try extensionDies(at: 30)
    #expect(try phone(at: 40, .userOpened, [.launch(.app, .user)]) == nil)
    let wait = try appConnects(at: 90)
    expect(wait?.sentence, is: "from opening the app to the connected app: 50 ms, the app's start included")
  }

  @Test mutating func `After the user went home a connection ends no wait`() throws {
    #expect(try notifier(at: 10, Self.claimed) == nil)
    #expect(try phone(at: 20, .userOpened) == nil)
    #expect(try phone(at: 25, .userWentHome) == nil)
    #expect(try notifier(at: 30, .deadlineReached, [Self.released]) == nil)
    #expect(try appConnects(at: 900) == nil)
  }

  @Test mutating func `The end of an extension that the app has replaced starts no wait`() throws {
    #expect(try notifier(at: 10, Self.claimed) == nil)
    #expect(try phone(at: 20, .userOpened) == nil)
    #expect(try record(AppMachine.name, 5020, Self.claimed, [GuardDirective]()) == nil)
    #expect(try appConnects(at: 5030) == nil)
    try extensionDies(at: 6000)
    #expect(try appConnects(at: 9000) == nil, "a redial")
  }

  @Test mutating func `The death of an extension that has released the node starts no wait`() throws {
    #expect(try notifier(at: 10, Self.claimed) == nil)
    #expect(try notifier(at: 20, .deadlineReached, [Self.released]) == nil)
    try extensionDies(at: 30)
    #expect(try phone(at: 40, .userOpened) == nil)
    #expect(try appConnects(at: 60) == nil)
  }
}

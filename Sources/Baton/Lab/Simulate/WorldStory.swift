import Ground
import Guardrails
import Simulation

/// A simulated run as records: its story is told in the sentences of `baton logs`, and its picture drawn as that of a
/// phone.
package struct WorldStory {
  /// `said` without the device.
  private typealias Record = (
    at: Instant, who: TimelineWho, said: Said, sentences: [JournalNarrator.Sentence]
  )

  /// Worded only when the story is wanted: most runs do not fail.
  private var events: [(said: Said, at: Instant)] = []
  private var wallet = WalletProfile.phoenix
  package private(set) var violation: Violation?

  package init() {}

  /// The story of one run.
  package init(of settings: RunSettings) {
    var run = SeedRun(settings, isRecorded: true)
    _ = run.run { listen(to: &$0) }
  }

  /// Takes the world's records since the last call.
  package mutating func listen(to world: inout World, after passed: TimeSpan = .zero) {
    let instant = world.peerNow + passed
    wallet = world.settings.wallet
    violation = world.violation
    events += world.takeSaid().map { ($0, instant) }
  }

  private var records: [Record] {
    var narrator = JournalNarrator()
    return events.map { record($0.said, at: $0.at, &narrator) }
  }

  private func record(
    _ said: Said, at instant: Instant, device: Int = 0, _ narrator: inout JournalNarrator
  ) -> Record {
    var who = TimelineWho.events(device: device)
    let sentences: [JournalNarrator.Sentence]
    switch said {
    case .core(let record):
      who = record.who(on: device)
      sentences = narrator.sentences(of: record, by: who.name, in: wallet)
    case .started(let role, let pid):
      who = .wallet(role, device: device)
      sentences = [.start(of: pid)]
    case .ended(let role, let why):
      who = .wallet(role, device: device)
      sentences = [.end(why)]
    case .peerStarted: sentences = []
    case .move(let move): sentences = MoveSentences.of(move).map { [.init($0)] } ?? []
    case .violation(let found):
      sentences = [.key("BROKEN: \(found.invariant.sentence) \(found.sentence)")]
    case .onSecondDevice(let inner): return record(inner, at: instant, device: 1, &narrator)
    }
    return (instant, who, said, sentences)
  }

  package func timeline(title: String) -> Timeline {
    var builder = TimelineBuilder()
    for record in records {
      builder.take(TimelineRecord(at: record.at, record.sentences), by: record.who, [record.said])
    }
    return builder.finish(title: title)
  }

  private static func name(of who: TimelineWho) -> String {
    switch who {
    case .events(let device): device == 0 ? "event" : "event 2"
    // As short as `extension`.
    case .wallet(.extension, device: 1): "ext. 2"
    default: who.name
    }
  }

  /// Lines of text: time in seconds, actor, sentence. Repetitions are folded. In an exploration time
  /// moves seldom: then only a line at another time than the one above has a time.
  package func text(all: Bool = false, isExplored: Bool = false) -> [String] {
    let lines = records.flatMap { record in
      record.sentences.filter { all || $0.matters }.map {
        (at: record.at, who: Self.name(of: record.who), text: $0.text)
      }
    }
    let folded = Repetition.folded(
      lines, by: { "\($0.who) \(Self.withoutNumbers($0.text))" },
      note: { count, times, last in
        let what = count == 1 ? "the line above" : "the \(count) lines above"
        return (last.at, "…", "\(what) again, \(times == 1 ? "once" : "\(times) times")")
      })
    var above = HumanText.seconds(.zero)
    return folded.map { line in
      let time = HumanText.seconds(line.at - Instant(nanoseconds: 0))
      defer { above = time }
      let shown = isExplored && time == above ? "" : time
      func padding(_ text: String) -> String { String(repeating: " ", count: max(0, 9 - text.count)) }
      return "\(padding(shown))\(shown)  \(line.who)\(padding(line.who))  \(line.text)"
    }
  }

  /// Rounds are equal although the numbers of connections, pushes and payments grow.
  private static func withoutNumbers(_ text: String) -> String { String(text.filter { !$0.isNumber }) }

  private static let beginning = 28
  private static let end = 16

  /// The beginning and the end of a story, to fit a screen.
  static func onOneScreen(_ lines: [String]) -> [String] {
    let leftOut = lines.count - beginning - end
    guard leftOut > 1 else { return lines }
    let note =
      String(repeating: " ", count: 11) + "…          \(leftOut) more lines; `baton replay` prints them"
    return lines.prefix(beginning) + [note] + lines.suffix(end)
  }
}

/// Folds repeated groups of lines in a story into one, with the number of repetitions.
enum Repetition {
  private static let longestRound = 24

  /// Folds consecutive rounds of items with equal keys.
  static func folded<Item>(
    _ items: [Item], by key: (Item) -> String, note: (_ lines: Int, _ times: Int, _ last: Item) -> Item
  ) -> [Item] {
    let keys = items.map(key)
    var folded: [Item] = []
    var place = 0
    while place < items.count {
      let (length, rounds) = round(keys, at: place)
      guard rounds > 2 else {
        folded.append(items[place])
        place += 1
        continue
      }
      folded += items[place..<place + length]
      place += length * rounds
      folded.append(note(length, rounds - 1, items[place - 1]))
    }
    return folded
  }

  /// The shortest round that begins here and repeats at least three times, with its count.
  private static func round(_ keys: [String], at start: Int) -> (length: Int, times: Int) {
    for length in 1...longestRound where start + 3 * length <= keys.count {
      var times = 1
      while start + (times + 1) * length <= keys.count,
        keys[start..<start + length] == keys[start + times * length..<start + (times + 1) * length]
      { times += 1 }
      if times > 2 { return (length, times) }
    }
    return (1, 1)
  }
}

/// Sentences for the inputs of a simulated world: user actions and faults. Other moves show in their effects.
enum MoveSentences {
  static func of(_ move: Move) -> String? {
    switch move {
    case .work, .wake, .hear, .readPresence, .peerReads, .walletReads, .peerWakes, .senderWakes, .phoneWakes,
      .timePasses, .open, .home, .quit, .invoice, .pay, .payPart:
      nil
    case .send(let number, let isKnown):
      "the user pays external invoice \(number + 1)\(isKnown ? "" : ", which its recipient no longer knows")"
    case .cancel(let invoice): "the user cancels invoice \(invoice + 1)"
    case .withdraw(let amount): "the user withdraws \(HumanText.amount(msat: amount &* 1000)) on chain"
    case .press(let button): "the user presses “\(button.title)”, if it is there"
    case .followLink: "the user follows a link of the wallet"
    case .beginTask: "the user starts a task that continues in the background"
    case .takeOtherDevice: "the user opens the app on the other device, which has the same seed"
    case .askToMove: "the user asks to move the wallet to this device"
    case .onOther(let move): of(move)
    case .endTask: "the user's task is done"
    case .network(isThere: false): "the phone loses its network"
    case .network(isThere: true): "the phone has its network again"
    case .kill(let role): "the \(role.rawValue) is killed"
    case .freeze(let role): "the \(role.rawValue) is frozen"
    case .freezeInside(let role):
      "the \(role.rawValue) is frozen inside a transaction, if it is about to write"
    case .thaw(let role): "the \(role.rawValue) thaws"
    case .losePresence: "a presence message is lost"
    case .repeatPresence: "a presence message is repeated"
    case .delayPresence: "a presence message is late"
    case .cut(let wire): "connection \(wire) breaks; messages in flight are lost"
    case .slow(let wire): "messages on connection \(wire) are slow"
    case .restartPeer: "the peer restarts"
    case .stopPeer: "the peer goes down"
    case .startPeer: "the peer comes up again"
    case .replaceLock(let role): "the lock file of the \(role.rawValue) is replaced by a new file"
    case .loseBeat(let role): "the beats of the \(role.rawValue) are erased"
    case .failStorage(let role, let fault): "storage fault: the \(role.rawValue)'s next \(fault.words)"
    case .fillDisk(let isFull): isFull ? "the disk is full" : "the disk has room again"
    case .reboot: "the phone reboots"
    case .deviceSleeps(let span): "the device sleeps for \(HumanText.span(span))"
    case .losePush: "the next push will be lost"
    case .stepClock(let span):
      "the wall clock is set \(span < .zero ? "back" : "forward") by \(HumanText.span(TimeSpan(nanoseconds: abs(span.nanoseconds))))"
    case .copyDatabase: "a copy of the database is made"
    case .restoreCopy:
      "the phone is switched off, the old copy of the database is restored, and the phone is switched on"
    case .noMoreFaults(let userStaysAway):
      "from here on there are no faults, and the user \(userStaysAway ? "stays away" : "has the app in front")"
    }
  }
}

extension CoreRecord {
  fileprivate func who(on device: Int) -> TimelineWho {
    switch self {
    case .wallet(let role, _): .wallet(role, device: device)
    case .peer: .peer
    case .phone: .phone(device: device)
    }
  }
}

import Ground
import TestKit

@testable import Baton

@Suite struct WatchScreenTests {
  private let start = Instant(nanoseconds: 0)

  private func screen(_ columns: Int, _ rows: Int, _ view: LiveView = sampleView()) -> WatchScreen {
    var screen = WatchScreen(home: view.home, columns: columns, rows: rows, at: start)
    _ = screen.handle(.looked(view), at: start)
    return screen
  }

  private func text(_ screen: WatchScreen) -> String { screen.lines.map(\.text).joined(separator: "\n") }

  @Test func `A screen of 80 by 24 has every list and the keys with their words`() {
    expect(
      text(screen(80, 24)),
      is: """
        baton watch  /home/alice/phone                                      12:05:05 UTC
        holder    held by notifyextd 4712, alive, with current beats
        beat      *  established, beat 6, 500 ms ago
        peer      connected, channel established (epoch 2)
        wallet    1,001,000 sat, can receive 8,999,000 sat, 1 payment received
        PROCESS     PID      STATE        MEMORY    SHOWS
        mainappd             not running
        notifyextd  4712     serving      2.1 MB    connected; push 12
        iosd        4702     running      1.5 MB
        lspd        4701     running      3.2 MB
        pushes    12, visible, 3.0 s ago: not shown yet
        payments  received 1,000 sat, 3.0 s ago: f810889d
        ends      mainappd 4711, 5.0 s ago: killed: swiped away by the user
        events    12:05:02 iosd       push 12 arrives: “Incoming payment”, Open the app…
                  12:05:02 iosd       starts the extension: launched for push 12
                  12:05:03 notifyextd started as process 4712
                  12:05:03 notifyextd claimed epoch 2 (the holder died without a releas…
                  12:05:04 lspd       connection 2 of epoch 2: accepted
                  12:05:04 notifyextd received 1,000 sat




        o open h home x swipe away p pay u push k kill f freeze t thaw ? help q leave
        """)
  }

  @Test func `A screen of 40 by 10 has holder, beat, peer, wallet, both processes and the last event`() {
    expect(
      text(screen(40, 10)),
      is: """
        baton watch  /home/alice/p… 12:05:05 UTC
        holder    held by notifyextd 4712, aliv…
        beat      *  established, beat 6, 500 m…
        peer      connected, channel establishe…
        wallet    1,001,000 sat, can receive 8,…
        mainappd             not running
        notifyextd  4712     serving      2.1 M…
        events    12:05:04 notifyextd received …

        o  h  x  p  u  k  f  t  ?  q
        """)
  }

  @Test func `A screen of 200 by 60 has one row for each thing, and longer lines`() {
    expect(
      text(screen(200, 60)),
      is: """
        baton watch  /home/alice/phone                                                                                                                                                              12:05:05 UTC
        holder    held by notifyextd 4712, alive, with current beats
        beat      *  established, beat 6, 500 ms ago
        peer      connected, channel established (epoch 2)
        wallet    1,001,000 sat, can receive 8,999,000 sat, 1 payment received
        PROCESS     PID      STATE        MEMORY    SHOWS
        mainappd             not running
        notifyextd  4712     serving      2.1 MB    connected; push 12
        iosd        4702     running      1.5 MB
        lspd        4701     running      3.2 MB
        pushes    12, visible, 3.0 s ago: not shown yet
        payments  received 1,000 sat, 3.0 s ago: f810889d
        ends      mainappd 4711, 5.0 s ago: killed: swiped away by the user
        events    12:05:02 iosd       push 12 arrives: “Incoming payment”, Open the app to receive
                  12:05:02 iosd       starts the extension: launched for push 12
                  12:05:03 notifyextd started as process 4712
                  12:05:03 notifyextd claimed epoch 2 (the holder died without a release)
                  12:05:04 lspd       connection 2 of epoch 2: accepted
                  12:05:04 notifyextd received 1,000 sat








































        o open  h home  x swipe away  p pay  u push  k kill  f freeze  t thaw  ? help  q leave
        """)
  }

  @Test(arguments: [1, 2, 5, 9, 20, 39, 80, 300])
  func `Whatever its size, a screen has as many lines as the terminal has rows, and none too wide`(size: Int)
  {
    var view = sampleView()
    view.problems = ["one", "two"]
    for rows in [1, 2, 3, 6, 7, 8, 11, 13, 19, 20, 50] {
      for help in [false, true] {
        var screen = screen(size, rows, view)
        if help { _ = screen.handle(.pressed(.help), at: start) }
        let lines = screen.lines
        expect(lines.count, is: rows)
        #expect(lines.allSatisfy { $0.text.count <= size }, "\(size) by \(rows)")
      }
    }
  }

  @Test
  func `A key performs its action, names it until its outcome, and shows the outcome for twenty seconds`() {
    var screen = screen(80, 24)
    expect(screen.handle(.pressed(.action(.pay)), at: start), is: [.perform(.pay), .draw])
    expect(screen.lines[22].text, is: "pay …")
    let outcome = LiveOutcome(action: .pay, sentence: "no \u{7} invoice", isFailure: true)
    expect(screen.handle(.performed(outcome), at: start), is: [.draw])
    expect(screen.lines[22].text, is: "pay: no \u{7} invoice")
    expect(
      screen.lines[22].painted(by: Output(isJSON: false, usesColour: true)),
      is: "\u{1b}[31mpay: no . invoice\u{1b}[0m")
    let late = start + .seconds(20)
    expect(screen.handle(.looked(sampleView()), at: late), is: [.draw])
    expect(screen.deadline, is: late)
    expect(screen.handle(.deadlineReached, at: late), is: [.draw])
    expect(screen.lines[22].text, is: "")
  }

  @Test func `While three actions of a lane wait, a fourth one says what it waits for`() {
    var screen = screen(80, 24)
    for key in [LiveAction.open, .push, .home] { _ = screen.handle(.pressed(.action(key)), at: start) }
    expect(screen.handle(.pressed(.action(.quit)), at: start), is: [.draw])
    expect(screen.lines[22].text, is: "swipe away: not done, as `open` still waits")
    _ = screen.handle(.performed(LiveOutcome(action: .open, sentence: "done")), at: start)
    expect(screen.handle(.pressed(.action(.quit)), at: start), is: [.perform(.quit), .draw])
    expect(screen.lines[22].text, is: "push, home, swipe away …")
  }

  @Test(arguments: ["ofpt", "kp", "fppppt", "fhuxpk"])
  func `No key waits for a payment to a frozen app`(keys: String) {
    var screen = screen(80, 24)
    var performed: [LiveAction] = []
    for key in WatchKey.all(in: Array(keys.utf8)) {
      for case .perform(let action) in screen.handle(.pressed(key), at: start) { performed.append(action) }
    }
    let all = keys.utf8.compactMap { byte in LiveAction.allCases.first { $0.key.utf8.first == byte } }
    // The fourth payment of a lane that does not come to an end.
    expect(performed, is: (keys == "fppppt" ? [.freeze, .pay, .pay, .pay, .thaw] : all))
    #expect(
      LiveAction.allCases.filter { $0.lane == LiveAction.thaw.lane } == [.kill, .freeze, .thaw]
        && LiveAction.allCases.filter { $0.lane == LiveAction.pay.lane } == [.pay])
  }

  @Test func `Esc closes the help, and opens none`() {
    var screen = screen(80, 24)
    let plain = screen.lines.map(\.text)
    for key in [WatchKey.help, .closeHelp, .closeHelp] { _ = screen.handle(.pressed(key), at: start) }
    expect(screen.lines.map(\.text), is: plain)
    expect(WatchKey.all(in: [0x1b]), is: [.closeHelp])
  }

  @Test func `A look that does not end in three seconds is said, until it ends`() {
    var screen = screen(80, 24)
    expect(screen.deadline, is: start + .seconds(3))
    expect(screen.handle(.deadlineReached, at: start + .seconds(2)), is: [])
    expect(screen.handle(.deadlineReached, at: start + .seconds(3)), is: [.draw])
    #expect(screen.lines[0].text.hasSuffix(" no answer yet"))
    #expect(screen.deadline == nil)
    _ = screen.handle(.looked(sampleView()), at: start + .seconds(6))
    #expect(screen.lines[0].text.hasSuffix(" 12:05:05 UTC"))
    expect(screen.deadline, is: start + .seconds(9))
  }

  @Test func `Keys are read from the bytes of a terminal; arrows and unknown keys are none`() {
    let bytes = Array("o\u{1b}[Ah\u{1b}OPz?\u{c}\u{1b}[1;5Hq\u{1b}x\u{1b}".utf8)
    expect(
      WatchKey.all(in: bytes), is: [.action(.open), .action(.home), .help, .drawAgain, .leave, .closeHelp])
    expect(Set(LiveAction.allCases.map(\.key)).count, is: LiveAction.allCases.count)
  }

  @Test func `Only lines that have changed are written again, without colour if there is none`() {
    var painter = WatchPainter(output: Output(isJSON: false, usesColour: false))
    var screen = screen(80, 24)
    let all = painter.paint(screen.lines)
    #expect(all.contains("\u{1b}[24;1H") && !all.contains("\u{1b}[1m") && !all.contains("\u{1b}[32m"))
    expect(painter.paint(screen.lines), is: "")
    var view = sampleView()
    view.holder.beatCounter = 7
    _ = screen.handle(.looked(view), at: start)
    expect(
      painter.paint(screen.lines), is: "\u{1b}[3;1H\u{1b}[2Kbeat       * established, beat 7, 500 ms ago")
    painter.forget()
    #expect(painter.paint(screen.lines).hasPrefix("\u{1b}[0m\u{1b}[2J\u{1b}[1;1H"))
  }
}

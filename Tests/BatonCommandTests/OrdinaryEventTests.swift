import DaemonRuntime
import Foundation
import Glibc
import Testing
import WaitingTests

/// Something that happens to a phone which is up, as a script of bash, and what is judged behind it.
private struct Event {
  let name: String
  var script: String
  /// In each run of the suite, by this wallet; the others only for the whole table.
  var drawn: String?
  /// A full disk, or a copy of a phone that ran: evidence may be missing. Of all others the verdict is sound.
  var mayLackEvidence = false

  init(_ name: String, _ script: String, drawn: String? = nil) {
    (self.name, self.script, self.drawn) = (name, script, drawn)
  }
}

@Suite("Ordinary events", .waits)
struct OrdinaryEventTests {
  /// `$H` is the phone's home, `$W` a directory beside it. `judge DIR` has a home judged.
  private static let functions = #"""
    exec 2>/dev/null
    b() { "$BIN/baton" --home "$H" "$@"; }
    pid() { ls -t "$H/journal" | grep -- "-$1-" | head -1 | sed 's/.*-\([0-9]*\)\(-[0-9]*\)\?\.jsonl/\1/'; }
    k() { for p in "${@:2}"; do kill "$1" $(pid $p); done; }
    gone() { for p in "$@"; do while kill -0 $(pid $p); do sleep 0.02; done; done; }
    connected() { until b status | grep -q ': connected'; do sleep 0.05; done; }
    away() { b app home >/dev/null; b app quit >/dev/null; until b status | grep -q 'app *not running'; do sleep 0.05; done; }
    pay() { b pay --hold-seconds 30 $(b invoice ${1:-100}) >/dev/null; }
    later() { I=$(b invoice ${1:-100}); away; b pay --no-wait $I >/dev/null; }
    up() { b up >/dev/null; b app open >/dev/null; connected; }
    dead() { k -9 iosd lspd mainappd "$EXT"; gone iosd lspd mainappd; }
    copy() { rm -rf "$W/$1"; mkdir -m 700 "$W/$1"; for d in "${@:2}"; do cp -a "$H/$d" "$W/$1/"; pay 7; done; judge "$W/$1"; }
    boot() {
      printf '%s-2222-4333-8444-555555555555\n' "$2" > "$W/boot"
      unshare -m -T --boottime $1 --monotonic $1 sh -c \
        'mount --bind "$0" /proc/sys/kernel/random/boot_id && exec "$@"' "$W/boot" bash -c "$FUNCTIONS $3"
    }

    """#

  private static let all: [Event] = kills + freezes + ends + device + lacking(copies) + senders

  private static func lacking(_ events: [Event]) -> [Event] {
    events.map { event in
      var event = event
      event.mayLackEvidence = true
      return event
    }
  }

  private static var kills: [Event] {
    let programs = ["mainappd", "iosd", "lspd"]
    return (1..<8).flatMap { mask -> [Event] in
      let killed = programs.enumerated().filter { mask & 1 << $0.offset != 0 }.map(\.element)
      let names = killed.joined(separator: " ")
      let isDrawn = killed.count == 1 || killed.count == 3
      return [
        Event(
          "kill -9 of \(names), judged as it lies",
          "pay & sleep 0.05; k -9 \(names); gone \(names); judge \"$H\"; up; wait"),
        Event(
          "kill -9 of \(names) in a payment, and up", "pay & k -9 \(names); up; wait",
          drawn: isDrawn ? (mask == 2 ? "bitkit" : "phoenix") : nil),
      ]
    } + [
      Event(
        "kill -9 of the extension", "later; sleep 0.2; k -9 \"$EXT\"; b app open; connected", drawn: "bitkit"),
      Event(
        "kill -9 of all while a push is served, judged as it lies",
        "later; dead; judge \"$H\"; up", drawn: "phoenix"),
      Event("kill -9 of all while a payment is held", "later; dead; up"),
      Event("kill -9 of all, and of the sender", "b pay $(b invoice 9) & kill -9 $!; dead; judge \"$H\"; up"),
    ]
  }

  private static var freezes: [Event] {
    let programs = ["mainappd", "iosd", "lspd"]
    return (1..<8).map { mask in
      let names = programs.enumerated().filter { mask & 1 << $0.offset != 0 }.map(\.element).joined(
        separator: " ")
      return Event(
        "\(names) stopped for 1.5 s",
        "I=$(b invoice 9); k -STOP \(names); b pay $I & sleep 1.5; k -CONT \(names); wait; connected",
        drawn: mask == 1 ? "phoenix" : nil)
    } + [
      Event(
        "the extension stopped for 1 s",
        "later; sleep 0.2; k -STOP \"$EXT\"; sleep 1; k -CONT \"$EXT\"; b app open; connected")
    ]
  }

  private static let ends: [Event] = [
    Event("down in a payment, and up", "pay & b down; judge \"$H\"; up; wait", drawn: "bitkit"),
    Event("down while a payment is held", "later; b down; judge \"$H\"; up"),
    Event("down and up three times", "for i in 1 2 3; do b down; b up; done; up"),
    Event(
      "the app swiped away in a payment", "pay & b app quit; b app open; connected; wait", drawn: "phoenix"),
    Event("the app sent home in a payment, and opened", "pay & b app home; b app open; connected; wait"),
    Event("the app opened while the extension receives", "later; b app open; connected", drawn: "phoenix"),
    Event("SIGTERM to lspd", "k -TERM lspd; gone lspd; up"),
    Event("SIGTERM to iosd", "k -TERM iosd; gone iosd; up"),
    Event(
      "the home is moved while down", "b down; mv \"$H\" \"$H-m\"; judge \"$H-m\"; mv \"$H-m\" \"$H\"; up",
      drawn: "bitkit"),
    Event("the home is copied while down", "b down; cp -a \"$H\" \"$W/d\"; judge \"$W/d\"; up"),
    Event(
      "the home is packed and unpacked while down",
      "b down; tar -C \"$H\" -cf \"$W/t\" .; mkdir \"$W/t2\"; tar -C \"$W/t2\" -xf \"$W/t\"; judge \"$W/t2\"; up"
    ),
  ]

  private static let device: [Event] = [
    Event("the wall clock goes an hour ahead", "b device clock +1h; pay", drawn: "phoenix"),
    Event("the wall clock goes back two hours", "b device clock -2h; pay"),
    Event("the wall clock goes three days ahead", "b device clock +72h; pay"),
    Event("the wall clock goes back two days", "b device clock -48h; pay"),
    Event("the phone reboots", "b device reboot --unlock; up", drawn: "bitkit"),
    Event("the phone reboots and loses its beats", "b device reboot --unlock --lose-beats; up"),
    Event("the phone reboots while a payment is held", "later; b device reboot --unlock; up"),
    Event("the network is away", "b device network off; sleep 0.3; b device network on; connected"),
    Event("low power mode", "b device low-power on; later; b app open; connected; b device low-power off"),
    Event(
      "notifications are off",
      "b device notifications off; later; b app open; connected; b device notifications on"),
    Event(
      "background refresh is off",
      "b device background-refresh off; later; b app open; connected; b device background-refresh on"),
  ]

  private static let copies: [Event] = [
    Event(
      "copied while it runs, the container first", "copy c AppGroup Keychain journal lsp os", drawn: "phoenix"
    ),
    Event("copied while it runs, the container last", "copy c os lsp journal Keychain AppGroup"),
    Event("copied while it runs, the journals first", "copy c journal AppGroup lsp os Keychain"),
    Event(
      "copied while it runs, the ledger first", "copy c lsp AppGroup journal os Keychain", drawn: "bitkit"),
    Event("copied while it runs, the phone's rows first", "copy c os journal AppGroup lsp Keychain"),
    Event("copied while it runs, the journals last", "copy c lsp os AppGroup Keychain journal"),
    Event(
      "copied while it runs, at once",
      "(for i in 1 2 3 4; do pay 8; done) & cp -a \"$H\" \"$W/q\"; judge \"$W/q\"; wait"),
    Event(
      "copied without times while it runs",
      "(for i in 1 2 3; do pay 8; done) & cp -r \"$H\" \"$W/r\"; judge \"$W/r\"; wait"),
    Event("copied after kill -9 of all", "pay & sleep 0.05; dead; cp -a \"$H\" \"$W/s\"; judge \"$W/s\"; up"),
  ]

  private static let senders: [Event] = [
    Event("a sender is killed", "b pay $(b invoice 9) & sleep 0.03; kill -9 $!; wait", drawn: "bitkit"),
    Event("a sender is interrupted", "later 9; b app open; connected"),
    Event("many payments at once", "b pay --count 8 --rate 40 --amount 21"),
    Event("a payment in parts", "b pay --parts 3 $(b invoice 900)"),
    Event("a payment that fails", "b lsp fail temporary_channel_failure; pay", drawn: "phoenix"),
    Event("a payment out", "b send $(b invoice 50 --external)"),
    Event("a withdrawal", "b withdraw 1000 bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"),
    Event("an invoice is paid twice", "I=$(b invoice 9); b pay $I; b pay $I"),
  ]

  @Test(arguments: ["phoenix", "bitkit"])
  func `After an ordinary event the judge finds nothing broken`(wallet: String) throws {
    let phone = CommandPhone()
    _ = try phone.run("up", "--wallet", wallet)
    try phone.openAndConnect()
    for event in Self.all where VerdictTable.file != nil || event.drawn == wallet {
      try play(event, wallet, phone)
    }
    _ = try phone.run("down")
    let last = VerdictTable.verdict(phone.scratch("phone"))
    VerdictTable.print(wallet, "(down, after all of them)", last)
    #expect(last.code == 0, "\(wallet): \(last)")
  }

  /// The phone pays once more behind each event.
  private func play(_ event: Event, _ wallet: String, _ phone: CommandPhone, home: String? = nil) throws {
    let home = home ?? phone.scratch("phone")
    try run("\(event.script)\npay 11; judge \"$H\"", wallet, phone, home) { place in
      let verdict = VerdictTable.verdict(place)
      VerdictTable.print(wallet, event.name, verdict)
      #expect(
        verdict.code == 0 || event.mayLackEvidence && verdict.code == 74,
        "\(wallet), \(event.name): \(verdict)")
    }
  }

  /// Runs the script up to each `judge`, which waits for the verdict.
  private func run(
    _ script: String, _ wallet: String, _ phone: CommandPhone, _ home: String, judge: (String) -> Void
  ) throws {
    let fifo = phone.scratch("asked")
    unlink(fifo)
    unlink(phone.scratch("answered"))
    #expect(mkfifo(fifo, 0o600) == 0 && mkfifo(phone.scratch("answered"), 0o600) == 0)
    let asking =
      #"judge() { echo "$1" > "$W/asked"; read x < "$W/answered"; }; trap 'echo end > "$W/asked"' EXIT"#
    let functions = Self.functions
    let child = try phone.scratch.start(
      "/usr/bin/env",
      [
        "H=\(home)", "W=\(phone.scratch.path)", "BIN=\(Scratch.programs)",
        "EXT=\(wallet == "bitkit" ? "notifyonlyd" : "notifyextd")", "FUNCTIONS=\(functions)",
        "bash", "-c", "\(functions)\n\(asking)\n\(script)",
      ], into: "event")
    while let place = Self.read(fifo), place != "end" {
      judge(place)
      Self.write("x\n", to: phone.scratch("answered"))
    }
    _ = phone.scratch.end(child)
  }

  /// The line that the script writes into the pipe.
  private static func read(_ pipe: String) -> String? {
    let descriptor = open(pipe, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    return count > 0
      ? String(decoding: bytes.prefix(count), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
      : nil
  }

  private static func write(_ text: String, to pipe: String) {
    let descriptor = open(pipe, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = text.withCString { Glibc.write(descriptor, $0, strlen($0)) }
    close(descriptor)
  }

  // MARK: Boots and disks of the machine

  private static let isRoot = getuid() == 0

  /// What a phone does in each boot, whose clock begins at another time.
  private static let boots: [(name: String, script: String)] = [
    ("up for days, and down", "up; pay; pay; b down"),
    ("rebooted, with a lower clock, and down", "up; pay; pay; b down"),
    ("rebooted, with a still lower clock, and all killed", "up; pay; later; dead"),
    ("rebooted, while a payment was held, and down", "up; pay; b down"),
    ("rebooted, with a higher clock, and killed in a payment", "up; pay & sleep 0.05; dead"),
    ("rebooted, with a lower clock, while pushes were under way", "up; pay; b down"),
    ("rebooted, and not opened", "b up; b down"),
    ("rebooted, at nearly the same clock", "up; pay; b down"),
  ]
  private static let clocks = [500_000, 300, 100, 60, 900_000, 200, 150, 140]

  @Test(.enabled(if: isRoot, "time namespaces need root"), arguments: ["phoenix", "bitkit"])
  func `After a reboot of the machine, whose clock begins anew, the judge finds nothing broken`(
    wallet: String
  ) throws {
    let phone = CommandPhone()
    let home = phone.scratch("phone")
    let uptime = Int(ProcessInfo.processInfo.systemUptime)
    _ = try phone.run("up", "--wallet", wallet)
    _ = try phone.run("down")
    for (place, boot) in Self.boots.enumerated() where VerdictTable.file != nil || place < 4 {
      let offset = Self.clocks[place] - uptime
      let id = "\(11_111_111 + place)"
      try run("boot \(offset) \(id) \"\(boot.script)\"; judge \"$H\"", wallet, phone, home) { place in
        let verdict = VerdictTable.verdict(place)
        VerdictTable.print(wallet, boot.name, verdict)
        #expect(verdict.code == 0, "\(wallet), \(boot.name): \(verdict)")
      }
    }
  }

  private static let disks: [Event] = [
    Event("the disk fills in a payment", "full; pay; judge \"$H\"; room; pay", drawn: "phoenix"),
    Event("the disk fills, and the app is killed", "full; pay; k -9 mainappd; judge \"$H\"; room; up"),
    Event("the disk fills, and all are killed", "full; pay; dead; judge \"$H\"; room; up", drawn: "bitkit"),
    Event("the disk fills, and the phone goes down", "full; pay; b down; judge \"$H\"; room; up"),
    Event(
      "the disk fills slowly",
      "b pay --count 30 --rate 40 --amount 21 & for i in 1 2 3 4 5; do full 200; sleep 0.1; done; wait; judge \"$H\"; room; up"
    ),
    Event(
      "the disk fills while a push is served", "later; full; sleep 0.5; b app open; judge \"$H\"; room; up"),
  ]

  @Test(.enabled(if: isRoot, "mounting a small disk needs root"), arguments: ["phoenix", "bitkit"])
  func `With a full disk the judge finds nothing broken`(wallet: String) throws {
    let phone = CommandPhone()
    let disk = phone.scratch("disk")
    mkdir(disk, 0o700)
    try #require(mount("tmpfs", disk, "tmpfs", 0, "size=24m,mode=700") == 0)
    defer { umount2(disk, Int32(MNT_DETACH)) }
    let home = "\(disk)/p"
    defer { try? run("b down", wallet, phone, home) { _ in } }
    let disks =
      "full() { dd if=/dev/zero of=\"$H/../fill$1$RANDOM\" bs=4k ${1:+count=$1}; }; room() { rm -f \"$H\"/../fill*; }; "
    try run("b up --wallet \(wallet); up", wallet, phone, home) { _ in }
    for event in Self.lacking(Self.disks) where VerdictTable.file != nil || event.drawn == wallet {
      var event = event
      event.script = disks + event.script
      try play(event, wallet, phone, home: home)
    }
  }
}

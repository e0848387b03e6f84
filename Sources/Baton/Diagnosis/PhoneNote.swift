import Ground
import PhonePolicy

/// What was found about a phone's home, its daemons, its processes and its payments.
package enum PhoneNote: Hashable, Sendable {
  /// A directory of the home that others can change or that is another user's: why, and what to do.
  case openHome(String)
  /// A file with a secret that others have rights on.
  case openSecret(FileMark)
  /// Why the next `baton up` would end with an error, and what to do.
  case startRefused(String)
  /// What happened to the keychain or the peer's files, and what to do.
  case seedLost(String)
  case peerLost(String)
  /// A part that could not be read.
  case unread(String)
  /// Why the daemon does not run while the other one does, and what to do; with its log.
  case missing(String, log: String)
  /// The daemon's name, and why it does not answer.
  case stopped(String, String)
  case silent(String, String)
  /// The name and pid of the last process of its role, and why it ended.
  case failed(String, Int32, String)
  /// The name and pid of a process that has said nothing, and since when, with the file of its output.
  case saysNothing(String, Int32, String)
  /// How many payments wait at the peer, how many of them are offered, and since when.
  case waiting(Int, offered: Int, TimeSpan)
  /// The home's free bytes.
  case full(String, UInt64)
  /// Parts of a suspension or limit that iosd cannot carry out here.
  case blindSpot(String)
  case memoryBySamples(String)

  package var finding: Finding {
    switch self {
    case .openHome(let sentence): Finding(.openToOthers, sentence)
    case .openSecret(let file):
      Finding(
        .secretInTheClear,
        "\(file.path) has a key, and others have rights on it (mode \(String(file.permissions, radix: 8)))",
        remedy: "run chmod 600 on it", fix: .narrow(path: file.path, mode: file.permissions & ~0o077))
    case .startRefused(let sentence): Finding(.startRefused, sentence)
    case .seedLost(let sentence): Finding(.seedLost, sentence)
    case .peerLost(let sentence): Finding(.peerLost, sentence)
    case .unread(let sentence): Finding(.unreadable, sentence)
    case .missing(let sentence, let log):
      Finding(.daemonMissing, sentence, remedy: "its last output is in \(log)")
    case .failed(let name, let pid, let why):
      Finding(
        .processFailed, "the last \(name) (process \(pid)) \(why)",
        remedy: "mend the cause; `baton list processes -a` lists every process and its end")
    case .saysNothing(let name, let pid, let silence):
      Finding(
        .processSilent, "\(name) (process \(pid)) is \(silence)",
        remedy: "see what it waits for, then end it with `kill \(pid)`")
    case .waiting(let count, let offered, let span):
      Finding(
        .paymentWaits,
        "\(count) \(count == 1 ? "payment waits" : "payments wait") at the peer, the oldest for \(span.wholeMilliseconds / 1000) s; \(offered) of them offered to the wallet, which does not answer",
        remedy: "see with `baton status` who holds the node; continue or quit that process, or open the app")
    case .full(let home, let bytes):
      Finding(
        .noRoom, "the disk of \(home) has \(bytes) bytes free", remedy: "free some space, then run `baton up`"
      )
    case .stopped(_, let sentence): Finding(.daemonStopped, sentence)
    case .silent(_, let sentence): Finding(.daemonSilent, sentence)
    case .blindSpot(let sentence): Finding(.connectionsStayOpen, "not emulated on this machine: \(sentence)")
    case .memoryBySamples(let why):
      Finding(
        .memoryInexact, "iosd has no memory cgroup for the extension: \(why)",
        remedy: "nothing to do; with cgroup v1 and its rights the kernel holds the limit")
    }
  }

  /// Longer than the wallet waits for the missing parts of a payment, no sound wallet lets one wait.
  private static let patience = TimeSpan.seconds(60)

  package static func waiting(_ payments: [PeerPaymentRow], at now: Instant) -> PhoneNote? {
    let open = payments.filter(\.isOpen)
    guard let first = open.map(\.requestedAtNs).min() else { return nil }
    let span = now - Instant(nanoseconds: first)
    return span > patience ? .waiting(open.count, offered: open.count { $0.state == "offered" }, span) : nil
  }
}

/// What a phone needs of this machine, as found.
package struct MachineFacts: Hashable, Sendable {
  package struct Program: Hashable, Sendable {
    package enum State: Hashable, Sendable {
      case starts
      case missing
      case notExecutable
      /// It ended at once; the last line that it wrote.
      case fails(String)
    }

    package var path: String
    package var state: State
  }

  package var programs: [Program] = []
  /// The kernel's list of locks can be read.
  package var showsLocks = true
  /// Why other processes' connections cannot be shut down.
  package var connectionsObstacle: String?
  /// The bytes that this user may lock in memory; nil for all.
  package var lockedBytesMax: UInt64?
  /// The open files of a process; nil for any number.
  package var filesMax: UInt64?
  /// Where copies of databases are made, and its free bytes; nil if it cannot be written.
  package var scratch = "/tmp"
  package var scratchFreeBytes: UInt64?
}

/// The findings of a machine.
package struct MachineDiagnosis: Sendable {
  private let facts: MachineFacts

  package init(_ facts: MachineFacts) { self.facts = facts }

  /// A phone with a telling extension, its peer and a crowd of senders.
  private static let filesNeeded: UInt64 = 256
  /// Pages of the seed and the derived keys.
  private static let lockedBytesNeeded: UInt64 = 64 << 10
  private static let scratchBytesNeeded: UInt64 = 64 << 20

  /// The Debian package of each library that a program is linked to.
  private static let packages = [
    ("libsqlite3.so", "libsqlite3-0"), ("libsodium.so", "libsodium23"), ("libsecp256k1.so", "libsecp256k1-1"),
    ("libnettle.so", "libnettle8"), ("libcurl.so", "libcurl4"), ("libmicrohttpd.so", "libmicrohttpd12"),
  ]

  package var findings: [Finding] { facts.programs.compactMap(program) + rights + room }

  private func program(_ program: MachineFacts.Program) -> Finding? {
    switch program.state {
    case .starts: return nil
    case .missing:
      return Finding(
        .programMissing, "\(program.path) is missing",
        remedy: "build it (`scripts/build`), and keep all programs in one directory")
    case .notExecutable:
      return Finding(.programMissing, "\(program.path) may not be executed", remedy: "run chmod u+x on it")
    case .fails(let line):
      guard
        let library = Self.packages.first(where: { line.contains($0.0) && line.contains("shared libraries") })
      else {
        return Finding(
          .programMissing, "\(program.path) does not start: \(line)",
          remedy: "build it again (`scripts/build`)")
      }
      return Finding(
        .packageMissing, "\(program.path) does not start: \(line)",
        remedy: "install the package \(library.1): apt-get install \(library.1)")
    }
  }

  private var rights: [Finding] {
    var found: [Finding] = []
    if !facts.showsLocks {
      found.append(
        Finding(
          .locksInvisible, "/proc/locks cannot be read", remedy: "mount /proc, or allow this user to read it")
      )
    }
    if let files = facts.filesMax, files < Self.filesNeeded {
      found.append(
        Finding(
          .fewDescriptors, "a process may open \(files) files, fewer than \(Self.filesNeeded)",
          remedy: "raise the limit with `ulimit -n 1024`"))
    }
    if let obstacle = facts.connectionsObstacle {
      found.append(
        Finding(
          .connectionsStayOpen, "iosd cannot end the connections of a suspended process: \(obstacle)",
          remedy: "a kernel from 5.6 on, and a container that permits pidfd_getfd"))
    }
    if let bytes = facts.lockedBytesMax, bytes < Self.lockedBytesNeeded {
      found.append(
        Finding(
          .memoryUnlocked,
          "this user may lock \(bytes) bytes in memory, fewer than \(Self.lockedBytesNeeded)",
          remedy: "raise the limit with `ulimit -l`"))
    }
    return found
  }

  private var room: [Finding] {
    guard let free = facts.scratchFreeBytes else {
      return [
        Finding(
          .noRoom, "\(facts.scratch) cannot be written",
          remedy: "set TMPDIR to a directory of this user, or mend its rights")
      ]
    }
    guard free < Self.scratchBytesNeeded else { return [] }
    return [
      Finding(
        .noRoom, "\(facts.scratch) has \(free >> 20) MB free, less than \(Self.scratchBytesNeeded >> 20)",
        remedy: "free some space, or set TMPDIR")
    ]
  }
}

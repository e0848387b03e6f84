import Ground
import PhonePolicy

extension Finding {
  /// Longer than the wallet waits for the missing parts of a payment, no sound wallet lets one wait.
  private static let patience = TimeSpan.seconds(60)

  package static func waiting(_ payments: [PeerPaymentRow], at now: Instant) -> Finding? {
    let open = payments.filter(\.isOpen)
    guard let first = open.map(\.requestedAtNs).min() else { return nil }
    let span = now - Instant(nanoseconds: first)
    guard span > patience else { return nil }
    return Finding(
      .paymentWaits,
      "\(open.count) \(open.count == 1 ? "payment waits" : "payments wait") at the peer, the oldest for \(span.wholeMilliseconds / 1000) s; \(open.count { $0.state == "offered" }) of them offered to the wallet, which does not answer",
      remedy: "see with `baton status` who holds the node; continue or quit that process, or open the app")
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

extension MachineFacts {
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

  package var findings: [Finding] { programs.compactMap(program) + rights + room }

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
    if !showsLocks {
      found.append(
        Finding(
          .locksInvisible, "/proc/locks cannot be read", remedy: "mount /proc, or allow this user to read it")
      )
    }
    if let files = filesMax, files < Self.filesNeeded {
      found.append(
        Finding(
          .fewDescriptors, "a process may open \(files) files, fewer than \(Self.filesNeeded)",
          remedy: "raise the limit with `ulimit -n 1024`"))
    }
    if let obstacle = connectionsObstacle {
      found.append(
        Finding(
          .connectionsStayOpen, "iosd cannot end the connections of a suspended process: \(obstacle)",
          remedy: "a kernel from 5.6 on, and a container that permits pidfd_getfd"))
    }
    if let bytes = lockedBytesMax, bytes < Self.lockedBytesNeeded {
      found.append(
        Finding(
          .memoryUnlocked,
          "this user may lock \(bytes) bytes in memory, fewer than \(Self.lockedBytesNeeded)",
          remedy: "raise the limit with `ulimit -l`"))
    }
    return found
  }

  private var room: [Finding] {
    guard let free = scratchFreeBytes else {
      return [
        Finding(
          .noRoom, "\(scratch) cannot be written",
          remedy: "set TMPDIR to a directory of this user, or mend its rights")
      ]
    }
    guard free < Self.scratchBytesNeeded else { return [] }
    return [
      Finding(
        .noRoom, "\(scratch) has \(free >> 20) MB free, less than \(Self.scratchBytesNeeded >> 20)",
        remedy: "free some space, or set TMPDIR")
    ]
  }
}

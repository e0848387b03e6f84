import DaemonRuntime
import Glibc
import Ground
import Judge
import PhonePolicy
import Platform

/// Gathers the facts of a phone: its home, its daemons, its processes, its secrets. Nothing is written.
struct PhoneLook {
  let findings: [Finding]
  /// The peer's highest epoch.
  let peerEpoch: UInt64?

  init(_ phone: Phone) {
    var notes: [Finding] = []
    do throws(SystemError) { try OwnHome.check(phone.home) } catch {
      notes.append(Finding(.openToOthers, error.description))
    }
    notes += Self.secretFiles(of: phone).compactMap { path in
      guard let mark = ContainerFiles.mark(path, isKnown: true), mark.kind == .plain,
        mark.permissions & 0o077 != 0
      else { return nil }
      return Finding(
        .secretInTheClear,
        "\(path) has a key, and others have rights on it (mode \(String(mark.permissions, radix: 8)))",
        remedy: "run chmod 600 on it", fix: .narrow(path: path, mode: mark.permissions & ~0o077))
    }
    // Those of a start refuse such a home before they look at anything in it.
    if notes.isEmpty { notes += Self.refusals(of: phone) }
    let iosd = DaemonAnswer<PhoneFacts>(to: ControlMessage("status"), from: .iosd, of: phone)
    let lspd = DaemonAnswer<PeerFacts>(to: ControlMessage("status"), from: .lspd, of: phone)
    let isPart = iosd.isRunning != lspd.isRunning && HandRunProcess.all(of: phone).isEmpty
    notes += Self.trouble(iosd, .iosd, phone, isPart: isPart)
    notes += Self.trouble(lspd, .lspd, phone, isPart: isPart)
    notes += Self.processes(of: phone, iosd.facts)
    if lspd.facts != nil, let payments = try? phone.peerPayments() {
      notes += [Finding.waiting(payments, at: Clock.monotonicNow)].compactMap { $0 }
    }
    if let bytes = MachineLook.freeBytes(of: phone.home), bytes < Self.roomNeeded {
      notes.append(
        Finding(
          .noRoom, "the disk of \(phone.home) has \(bytes) bytes free",
          remedy: "free some space, then run `baton up`"))
    }
    notes += (iosd.facts?.blindSpots ?? []).map {
      Finding(.connectionsStayOpen, "not emulated on this machine: \($0)")
    }
    if let why = iosd.facts?.limits.noGroupBecause {
      notes.append(
        Finding(
          .memoryInexact, "iosd has no memory cgroup for the extension: \(why)",
          remedy: "nothing to do; with cgroup v1 and its rights the kernel holds the limit"))
    }
    findings = notes
    peerEpoch = lspd.facts?.epoch
  }

  /// A few records of a journal.
  private static let roomNeeded: UInt64 = 1 << 20

  // MARK: Files

  private static func items(of phone: Phone) -> [String] {
    (DirectoryListing.names(of: phone.keychain + "/items") ?? []).map { "\(phone.keychain)/items/\($0)" }
  }

  private static func seedFile(of phone: Phone) -> String { "\(phone.keychain)/wallet-seed" }
  private static func nodeKey(of phone: Phone) -> String { "\(phone.lsp)/node-key" }
  private static func keychainKey(of phone: Phone) -> String { "\(phone.os)/keychain.key" }

  private static func secretFiles(of phone: Phone) -> [String] {
    [keychainKey(of: phone), seedFile(of: phone), nodeKey(of: phone)] + items(of: phone)
  }

  /// By the checks of the start itself, as far as they write nothing.
  private static func refusals(of phone: Phone) -> [Finding] {
    var notes: [Finding] = []
    do throws(CommandFailure) { _ = try HomeWallet.read(of: phone) } catch {
      notes.append(Finding(.startRefused, error.sentence))
    }
    notes += Daemon.allCases.compactMap { daemon in
      UnixListener.obstacle(at: phone.socket(of: daemon)).map { Finding(.startRefused, $0.description) }
    }
    if let fault = fault(
      of: keychainKey(of: phone), isNeeded: items(of: phone).contains { $0.hasSuffix(".item") })
    {
      notes.append(Finding(.seedLost, fault))
    }
    return notes + peerFiles(of: phone)
  }

  /// Another phone's lspd is not this home's.
  private static func peerFiles(of phone: Phone) -> [Finding] {
    let ledger = "\(phone.lsp)/ledger.sqlite"
    guard FilePath.exists(ledger) else {
      guard FilePath.exists(nodeKey(of: phone)) else { return [] }
      return [Finding(.peerLost, "\(ledger) is missing; put it back, or begin a new phone with --home")]
    }
    var notes = [fault(of: nodeKey(of: phone), isNeeded: true)].compactMap {
      $0.map { Finding(.peerLost, $0) }
    }
    do throws(JudgeError) { _ = try PushSuccess.payments(of: phone) } catch {
      switch error {
      case .damaged(let path, let reason), .unreadable(let path, let reason):
        notes.append(
          Finding(
            .peerLost,
            "lspd cannot use \(path) (\(reason)); put a copy of it back, or begin a new phone with --home"))
      default: notes.append(Finding(.unreadable, "\(error)"))
      }
    }
    return notes
  }

  private static func fault(of key: String, isNeeded: Bool) -> String? {
    do {
      _ = try SecretFile(path: key, size: Bytes32.size).read(isNeeded: isNeeded)
      return nil
    } catch { return "\(error)" }
  }

  /// A wallet with a channel has a seed. An item that cannot be read may be it.
  static func lostSeed(of phone: Phone) -> Finding? {
    let isThere = items(of: phone).contains { path in
      guard let bytes = try? SmallFile.readOwn(path, limit: 1 << 16), let item = JSONValue(parsing: bytes)
      else { return true }
      return item["account"]?.text == "wallet-seed"
    }
    let isUnread =
      FilePath.exists("\(phone.keychain)/items")
      && DirectoryListing.names(of: "\(phone.keychain)/items") == nil
    guard !isThere, !isUnread, !FilePath.exists(seedFile(of: phone)) else { return nil }
    return Finding(
      .seedLost,
      "\(phone.keychain) has no seed, and the container has a channel; put the items of the keychain back")
  }

  // MARK: Processes

  /// `isPart`: a phone that is down as a whole is not broken, nor is a pair that was started by hand.
  private static func trouble<Facts>(
    _ answer: DaemonAnswer<Facts>, _ daemon: Daemon, _ phone: Phone, isPart: Bool
  ) -> [Finding] {
    guard let trouble = answer.trouble(of: daemon) else { return [] }
    if !answer.isRunning {
      let remedy = "its last output is in \(phone.log(of: daemon))"
      return isPart ? [Finding(.daemonMissing, trouble, remedy: remedy)] : []
    }
    let pid = DaemonProbe.pid(listeningOn: phone.socket(of: daemon))
    let isStopped = pid.map { ProcessTable.isStopped($0) } ?? false
    return [Finding(isStopped ? .daemonStopped : .daemonSilent, trouble)]
  }

  /// The last of each role, as `baton list processes -a` lists them.
  private static func processes(of phone: Phone, _ facts: PhoneFacts?) -> [Finding] {
    let rows = ProcessRow.written(in: phone.processLedger).lastOfEach
    if rows.isEmpty, FilePath.size(of: phone.processLedger) > 0 {
      return [
        Finding(
          .unreadable, "\(phone.processLedger) has no row that can be read",
          remedy: "put a copy of it back; without it nobody knows how the phone's processes ended")
      ]
    }
    return Role.allCases.compactMap { role in
      guard let row = rows.last(where: { $0.role == role.rawValue }) else { return nil }
      if row.hasEnded {
        return row.hasFailed
          ? Finding(
            .processFailed,
            "the last \(row.processName) (process \(row.pid)) \(row.wholeReason ?? "failed")",
            remedy: "mend the cause; `baton list processes -a` lists every process and its end") : nil
      }
      guard let now = facts?.process(role), now.pid == row.pid else { return nil }
      let who = "\(row.processName) (process \(row.pid))"
      if now.isFrozen {
        return Finding(.processStopped, "\(who) is stopped", remedy: "`baton thaw \(role)` continues it")
      }
      if let silence = now.silence {
        return Finding(
          .processSilent, "\(who) is \(silence)",
          remedy: "see what it waits for, then end it with `kill \(row.pid)`")
      }
      guard now.statusCode?.isTrouble == true, let text = now.status?["text"] else { return nil }
      return Finding(.notConnected, "\(who) shows: \(text)", remedy: "`baton logs` tells what came before")
    }
  }
}

/// Looks for keys in the clear in a container, and in the journals and outputs of its phone.
struct SecretLook {
  /// Of each file, unless all is read.
  private static let bytesMax: Int64 = 4 << 20

  let findings: [Finding]
  /// Files of which only the beginning was read.
  let cut: Int

  init(_ place: ContainerPlace, all: Bool) {
    let search = KeySearch(home: place.hasHome ? place.phone.home : nil)
    let homes = place.hasHome ? [place.phone.journal, place.phone.os + "/output"] : []
    let logs = place.hasHome ? Daemon.allCases.map { place.phone.log(of: $0) } : []
    let files =
      ContainerFiles.marks(in: place.directory).filter { $0.kind == .plain }.map(\.path)
      + homes.flatMap { home in (DirectoryListing.names(of: home) ?? []).map { "\(home)/\($0)" } } + logs
    findings = files.compactMap { path in
      search.first(in: path, bytesMax: all ? .max : Self.bytesMax).map {
        Finding(
          .secretInTheClear, "\(path) contains \($0.what) in the clear, at byte \($0.offset)",
          remedy:
            "find out which program wrote it, take the secret out of that program, and move the money to a new seed if others could read the file"
        )
      }
    }
    cut = all ? 0 : files.count { FilePath.size(of: $0) > Self.bytesMax }
  }
}

/// Gathers the facts of this machine.
enum MachineLook {
  private static let programs = ["mainappd", "notifyextd", "notifyonlyd", "iosd", "lspd"]

  static var facts: MachineFacts {
    var facts = MachineFacts()
    facts.programs = programs.map { program("\(FilePath.ownDirectory)/\($0)") }
    facts.showsLocks = Kernel.locks() != nil
    facts.connectionsObstacle = ProcessSockets.obstacle.map { "\($0)" }
    facts.lockedBytesMax = limit(__RLIMIT_MEMLOCK)
    facts.filesMax = limit(RLIMIT_NOFILE)
    facts.scratch = FilePath.temporary
    if access(facts.scratch, W_OK | X_OK) == 0 { facts.scratchFreeBytes = freeBytes(of: facts.scratch) }
    return facts
  }

  private static func limit(_ which: __rlimit_resource) -> UInt64? {
    var limits = rlimit()
    guard getrlimit(__rlimit_resource_t(which.rawValue), &limits) == 0, limits.rlim_cur != rlim_t.max else {
      return nil
    }
    return UInt64(limits.rlim_cur)
  }

  static func freeBytes(of directory: String) -> UInt64? {
    var facts = statvfs()
    guard statvfs(directory, &facts) == 0 else { return nil }
    let (bytes, overflowed) = UInt64(facts.f_bavail).multipliedReportingOverflow(by: UInt64(facts.f_frsize))
    return overflowed ? .max : bytes
  }

  private static func program(_ path: String) -> MachineFacts.Program {
    guard FilePath.exists(path) else { return .init(path: path, state: .missing) }
    guard access(path, X_OK) == 0 else { return .init(path: path, state: .notExecutable) }
    return .init(path: path, state: start(path))
  }

  /// A program whose library is missing ends before its first line. The dynamic linker's words name the library.
  private static func start(_ path: String) -> MachineFacts.Program.State {
    guard let output = popen("\(ShellWord.quoted(path)) --version 2>&1 </dev/null", "r") else {
      return .fails(SystemError("start it").description)
    }
    var line = [CChar](repeating: 0, count: 4096)
    var last: Substring?
    while fgets(&line, Int32(line.count), output) != nil {
      last =
        String(decoding: line.map(UInt8.init(bitPattern:)).prefix { $0 != 0 }, as: UTF8.self)
        .split(separator: "\n").last ?? last
    }
    let status = pclose(output)
    if status == 0 { return .starts }
    return .fails(last.map { String($0).onOneLine } ?? "it \(ProcessEnding(status))")
  }
}

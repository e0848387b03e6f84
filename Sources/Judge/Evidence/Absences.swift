import Ground

/// The parts of the evidence, and what is missing.
struct Absences {
  private(set) var all: [Absence] = []
  /// Those that are there.
  let parts: [EvidenceName]

  private static let programs = Evidence.wallets + ["lspd", "iosd"]
  private static let named = 5

  init(_ evidence: Evidence, _ missing: MissingJournals) {
    parts =
      [.container] + (evidence.hasLedger ? [.ledger] : []) + (evidence.phone == nil ? [] : [.phone])
      + Self.programs.filter { !evidence.journals(of: $0).isEmpty }.map { .journals(of: $0) }
    addLedger(evidence)
    addPhone(evidence)
    for program in Evidence.wallets { addWallet(program, evidence, missing) }
    addPeer(evidence, missing)
    if evidence.phone != nil, evidence.journals(of: "iosd").isEmpty {
      add(.journals(of: "iosd"), "iosd ran this phone and left no journal in \(evidence.home)/journal")
    }
    for journal in evidence.journals + evidence.otherContainersJournals { addCuts(of: journal) }
    addOtherContainers(evidence)
    addNotifications(evidence)
    for end in evidence.earlyEnds { addDamage(.journals(of: end.process), end.sentence) }
    addBehindJournals(evidence)
    for journal in evidence.unreadJournals {
      addDamage(.journals, "\(evidence.home)/journal/\(journal.name) cannot be read: \(journal.reason)")
    }
  }

  /// All that are not waived. Damaged evidence is never waived.
  func demanded(without waived: Set<EvidencePart>) -> [Absence] {
    all.filter { $0.isDamage || $0.part.kind.map { !waived.contains($0) } ?? true }
  }

  private mutating func add(_ part: EvidenceName, _ sentence: String) {
    all.append(Absence(part: part, sentence: sentence))
  }

  private mutating func addDamage(_ part: EvidenceName, _ sentence: String) {
    all.append(Absence(part: part, sentence: sentence, isDamage: true))
  }

  // MARK: The peer and the phone

  private mutating func addLedger(_ evidence: Evidence) {
    let boots = evidence.wallet.boots
    if let run = evidence.ledger.runs.first(where: { !boots.have($0.startedAtNs, in: $0.boot) }) {
      addDamage(.ledger, "start \(run.id) of lspd has a time of another boot than it names")
    }
    if evidence.ledger.missingFrames != 0 {
      addDamage(
        .ledger, "\(countWords(Int(clamping: evidence.ledger.missingFrames), "row")) of frames are missing")
    }
    guard !evidence.hasLedger else { return }
    add(.ledger, "there is no ledger of the peer at \(evidence.home)/lsp/ledger.sqlite")
  }

  private mutating func addPhone(_ evidence: Evidence) {
    guard let phone = evidence.phone else { return add(.phone, "there is no directory \(evidence.home)/os") }
    for (name, problem) in phone.problems.sorted(by: { $0.key < $1.key }) {
      let sentence = "\(evidence.home)/os/\(name) is unusable: \(problem.words)"
      if problem == .missing { add(.phone, sentence) } else { addDamage(.phone, sentence) }
    }
    for (name, count, first) in phone.foreignLines {
      let what = count == 1 ? "a line that is no row," : "\(count) lines that are no rows, the first is"
      addDamage(.phone, "\(evidence.home)/os/\(name) has \(what) line \(first)")
    }
    let hadFullDisk = evidence.journals(of: "iosd").contains { $0.hasGaps }
    for sentence in phone.missingRows.map({ "\(evidence.home)/\($0)" }) {
      // An iosd that is killed beside a full disk loses the rows that found no room.
      if hadFullDisk { add(.phone, sentence) } else { addDamage(.phone, sentence) }
    }
    if phone.problems["processes.jsonl"] == nil {
      let known = Set(phone.processes.map(\.role))
      for role in ["app", "extension"] where !known.contains(role) {
        guard let claim = evidence.wallet.claims.first(where: { $0.role == role }) else { continue }
        add(
          .phone,
          "the \(role) claimed epoch \(claim.epoch), but os/processes.jsonl has no process of that role")
      }
      // A process that was started by hand has the machine's boot, as lspd has, and not the phone's.
      let machine = Set(evidence.ledger.runs.map(\.boot))
      let journals = (Evidence.wallets + [Evidence.tellingExtension]).flatMap { evidence.journals(of: $0) }
        .filter { !machine.contains($0.boot) }
      // Rows made by hand do not identify a process.
      if phone.processes.contains(where: { $0.startTime != nil }),
        let journal = journals.first(where: { journal in
          !phone.processes.contains { $0.wrote(journal) }
            && !journal.beganAtAKill(of: evidence.journals(of: "iosd"))
        })
      {
        add(.phone, "os/processes.jsonl has no process \(journal.pid), which wrote \(journal.name)")
      }
    }
    if phone.problems["processes.jsonl"] == nil,
      let role = phone.roleWithoutEnd(evidence.journals(of: "iosd"))
    {
      addDamage(.phone, "iosd's journal ends a process of the \(role), but os/processes.jsonl lacks that row")
    }
    if phone.problems["pushes.jsonl"] == nil, phone.pushes.isEmpty,
      let push = evidence.ledger.pushes.first(where: \.isDelivered)
    {
      add(.phone, "push \(push.id) was delivered, but os/pushes.jsonl has no row")
    } else if phone.problems["pushes.jsonl"] == nil,
      let (push, journal) = phone.firstPushWithoutRow(evidence.journals(of: "iosd"))
    {
      addDamage(.phone, "\(journal.name) names push \(push), but os/pushes.jsonl has no row of it")
    }
  }

  private mutating func addNotifications(_ evidence: Evidence) {
    guard evidence.phone?.problems["notifications.jsonl"] == nil,
      let (push, journal) = evidence.shownWithoutRow.first
    else { return }
    addDamage(.phone, "\(journal.name) shows push \(push), but os/notifications.jsonl has no row of it")
  }

  /// An iosd that exits ends its journal, and a killed one writes no later rows.
  private mutating func addBehindJournals(_ evidence: Evidence) {
    guard let phone = evidence.phone else { return }
    let journals = evidence.journals(of: "iosd")
    for (row, journal) in phone.rowsBehindJournals(journals, isCertain: evidence.isCertain) {
      addDamage(
        .journals(of: "iosd"),
        "\(journal.name) ends before \(row): its end was cut off, or another journal of iosd is missing")
    }
  }

  // MARK: Other containers of the wallet

  private mutating func addOtherContainers(_ evidence: Evidence) {
    let moves = evidence.moves
    let others = moves.otherContainers.subtracting(evidence.givenContainers)
    for container in others.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      let arrival = moves.arrivals.last { $0.from.container == container }
      let words =
        arrival.map { "the wallet moved into this container under epoch \($0.to.epoch); its earlier history" }
        ?? "the wallet moved away from this container; its later history"
      add(
        .otherContainer,
        "\(words) is in container \(Hexadecimal.encode(container.prefix(6)))…, whose database is missing")
    }
  }

  // MARK: Journals

  private mutating func addWallet(_ program: String, _ evidence: Evidence, _ missing: MissingJournals) {
    let claims = evidence.wallet.claims.filter { missing.epochs.contains($0.epoch) && $0.program == program }
    guard let first = claims.first else { return }
    let epochs = Self.list(claims.map(\.epoch))
    add(
      .journals(of: program),
      "\(program) claimed \(claims.count == 1 ? "epoch" : "epochs") \(epochs), without a journal of the claiming process (\(first.pid))"
    )
  }

  private mutating func addPeer(_ evidence: Evidence, _ missing: MissingJournals) {
    guard evidence.hasLedger else { return }
    if evidence.journals(of: "lspd").isEmpty {
      add(.journals(of: "lspd"), "the peer left a ledger, but no journal")
    } else if !missing.runs.isEmpty {
      let runs = Self.list(missing.runs.sorted())
      add(
        .journals(of: "lspd"),
        "the ledger has \(missing.runs.count == 1 ? "start" : "starts") \(runs) of lspd, without a journal")
    }
  }

  /// A full disk is noted in the next line. Lines missing without a note were removed.
  private mutating func addCuts(of journal: JournalFile) {
    let unreadable = journal.unreadableLines
    // Each noted gap of a full disk may leave one truncated line.
    let isTorn = unreadable.count > journal.gaps.count(where: \.isNoted)
    let damage: [String?] = [
      isTorn
        ? "has \(countWords(unreadable.count, "unreadable line")), the first is line \(unreadable.first)"
        : nil, journal.disorder.map { "has records out of order, the first in line \($0)" },
      journal.changedLine.map {
        "line \($0) does not follow the line before it: a line was changed or removed"
      },
      journal.gaps.first { !$0.isNoted }.map {
        "lacks \(countWords($0.count, "record")) before line \($0.line) without a note of a full disk"
      },
    ]
    for words in damage.compactMap({ $0 }) {
      addDamage(.journals(of: journal.process), "\(journal.name) \(words)")
    }
  }

  private static func list(_ numbers: [Int64]) -> String {
    let words = numbers.prefix(named).map { "\($0)" }.joined(separator: ", ")
    return numbers.count > named ? "\(words) and \(numbers.count - named) more" : words
  }
}

/// `1 record`, `2 records`.
func countWords(_ number: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
  "\(number) \(number == 1 ? one : many ?? one + "s")"
}

/// Missing journals, by the claims and the peer's runs that they would show. What only they would show is not judged.
struct MissingJournals {
  /// With `--clean-journals`, and in Bitkit's wallet after each opening, the app removes journals of ended processes
  /// after this time, but never the newest of a program.
  private static let keptNs: Int64 = 7 * 86_400 * 1_000_000_000

  /// Claims whose process has no journal. Without those whose claim another process's journal has: then the row is
  /// wrong.
  private(set) var epochs: Set<Int64> = []
  private(set) var runs: Set<Int64> = []
  /// The same for journals that the app may have removed.
  private(set) var cleanedEpochs: Set<Int64> = []
  private(set) var cleanedRuns: Set<Int64> = []

  init(_ evidence: Evidence) {
    let isCleaned = evidence.journals(of: "mainappd").contains {
      $0.arguments.contains("--clean-journals") || $0.isOfTellingWallet
    }
    let now = (evidence.journals.map(\.lastNs) + evidence.wallet.claims.map(evidence.claimedNs)).max() ?? 0
    let limit = isCleaned ? now &- Self.keptNs : .min
    let newest = Dictionary(evidence.journals.map { ($0.process, $0.startedNs) }) { max($0, $1) }
    // The time between two boots of the machine is known by the wall clock alone.
    let wall = (evidence.journals.map(\.lastWallNs) + evidence.wallet.claims.map(\.claimedWallNs)).max() ?? 0
    let wallLimit = wall &- Self.keptNs
    // By the latest sign of the process: a journal grows until its process ends.
    func mayBeCleaned(_ program: String, startedNs: Int64, wallNs: Int64, lastNs: Int64) -> Bool {
      lastNs < limit && wallNs < wallLimit && startedNs < newest[program] ?? .min
    }
    // A pid may be reused: then the later process counts.
    let ends = Dictionary(
      (evidence.phone?.processes ?? []).compactMap { process in
        process.endedNs.map { ("\(process.role) \(process.pid)", $0) }
      }, uniquingKeysWith: max)
    func lastSign(of claim: ClaimEntry) -> Int64 {
      let end = ends["\(claim.role) \(claim.pid)"]
      return max(evidence.claimedNs(claim), evidence.wallet.sum(of: claim.epoch).lastNs ?? .min, end ?? .min)
    }
    for claim in evidence.wallet.claims where evidence.journal(of: claim) == nil {
      if mayBeCleaned(
        claim.program, startedNs: evidence.claimedNs(claim), wallNs: claim.claimedWallNs,
        lastNs: lastSign(of: claim)
      ) {
        cleanedEpochs.insert(claim.epoch)
      } else if evidence.journal(answeringEpoch: claim.epoch) == nil {
        epochs.insert(claim.epoch)
      }
    }
    let peers = Dictionary(grouping: evidence.journals(of: "lspd"), by: \.pid)
    for run in evidence.ledger.runs
    where !(peers[run.pid] ?? []).contains(where: {
      isNear($0.startedNs, run.startedAtNs, withinNs: stepSlackNs)
    }) {
      if mayBeCleaned("lspd", startedNs: run.startedAtNs, wallNs: run.startedWallNs, lastNs: run.startedAtNs)
      {
        cleanedRuns.insert(run.id)
      } else {
        runs.insert(run.id)
      }
    }
  }

  func hasJournal(ofEpoch epoch: Int64) -> Bool { !epochs.contains(epoch) && !cleanedEpochs.contains(epoch) }
}

/// Missing evidence that other evidence shows must have existed.
public struct Absence: Hashable, Sendable {
  public let part: EvidenceName
  /// What is missing.
  public let sentence: String
  /// Of a part that is there: it cannot be waived.
  var isDamage = false

  /// What to do about it.
  public var advice: String {
    let whole = "judge the phone's directory as its programs left it"
    if isDamage { return whole }
    return switch part.kind {
    case .peer:
      "\(whole), pass --lsp HOME if the phone in HOME has its lspd, or pass --without peer if the peer keeps none"
    case .phone: "\(whole), or pass --without phone if no iosd ran"
    case .journals: "\(whole), or pass --without journals if these programs keep none"
    case .other:
      "name that container, or its phone's directory, with --other, or pass --without other if it is lost"
    case nil: "judge the phone where it ran, or copy it after `baton down`"
    }
  }
}

/// A part of the evidence, by the name that a verdict shows.
public struct EvidenceName: Hashable, Sendable {
  public let rawValue: String
  /// Nil: without it there is no verdict.
  let kind: EvidencePart?

  public static let container = EvidenceName(rawValue: "container", kind: nil)
  static let otherContainer = EvidenceName(rawValue: "other container", kind: .other)
  static let ledger = EvidenceName(rawValue: "peer's ledger", kind: .peer)
  static let phone = EvidenceName(rawValue: "phone", kind: .phone)
  static let journals = EvidenceName(rawValue: "journals", kind: .journals)
  static let oneMoment = EvidenceName(rawValue: "one moment", kind: nil)

  static func journals(of process: String) -> EvidenceName {
    let isKnown = (Evidence.wallets + [Evidence.tellingExtension, "lspd", "iosd"]).contains(process)
    return isKnown ? EvidenceName(rawValue: "journals of \(process)", kind: .journals) : .journals
  }
}

/// Evidence that the user can waive: the user's own programs keep no journals, a pair started by hand has no phone,
/// another peer has no ledger.
public enum EvidencePart: String, Hashable, Sendable, CaseIterable {
  case peer
  case phone
  case journals
  /// Another container in which the wallet has lived.
  case other
}

/// Why there is no verdict: always exit code 74, never a pass.
public enum JudgeError: Error, Hashable, Sendable {
  /// A part of the evidence is missing.
  case missing(part: String, path: String)
  /// The wallet's database has no table, and the peer has no frame.
  case neverBegun(path: String)
  case unreadable(path: String, reason: String)
  /// A database with damaged pages, or no database at all.
  case damaged(path: String, reason: String)
  /// Far larger than the file of any run.
  case tooLarge(path: String, bytes: Int64)
  /// Readable, but not a file of this project.
  case foreign(path: String, reason: String)
  /// Named with `--other`, but the peer knows no move between the two containers.
  case noOtherContainer(path: String)
  /// The peer of another home has no wallet with the phone's node id.
  case noWallet(path: String)
  /// The wallet's database changed during every attempt to read both databases as of one moment.
  case unstable(home: String)
}

extension JudgeError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .missing(let part, let path):
      "there is no \(part) at \(path): name the directory of a phone that has run"
    case .neverBegun(let path):
      "no wallet was created yet: \(path) is empty, so there is nothing to judge; make room on its disk, open the app, then judge again"
    case .unreadable(let path, let reason):
      "\(path) cannot be read (\(reason)): check its rights and its disk, then judge again"
    case .damaged(let path, let reason):
      "\(path) is damaged (\(reason)): judge a copy from before the damage; `baton doctor` says how the phone can go on"
    case .tooLarge(let path, let bytes):
      "\(path) has \(Self.size(bytes)), and the judge reads no file above \(Self.size(SQLiteFile.sizeLimit)): see what made it so large, or put the wallet's file in its place"
    case .foreign(let path, let reason):
      "\(path) is not as this version of Baton writes it (\(reason)): judge it with the version that wrote it"
    case .noOtherContainer(let path):
      "\(path) is no container that this wallet moved from or to: name one that it did, or leave --other out"
    case .noWallet(let path):
      "\(path) has no wallet of this phone's node id: name the phone whose lspd serves it, and the directory with this phone's keychain"
    case .unstable(let home):
      "the phone in \(home) kept changing its databases while they were read: stop the phone, then judge again"
    }
  }

  private static func size(_ bytes: Int64) -> String {
    let tenths = bytes / ((1 << 30) / 10)
    return "\(tenths / 10)" + (tenths % 10 == 0 ? "" : ".\(tenths % 10)") + " GB"
  }
}

/// Each error as a sentence: the problem, then the remedy.
extension ContainerError: CustomStringConvertible {
  public var description: String {
    remedy.isEmpty ? problem : "\(problem)\(isJoinedByColon ? ":" : ";") \(remedy)"
  }

  /// What is wrong.
  public var problem: String { parts.problem }
  /// What to do; empty if an error of SQLite says both in one.
  public var remedy: String { parts.remedy }

  private var isJoinedByColon: Bool {
    if case .schemaFromTheFuture = self { true } else { false }
  }

  private var parts: (problem: String, remedy: String) {
    switch self {
    case .missing(let path): ("there is no \(path)", "check the path")
    case .notADirectory(let path):
      ("\(path) is not a directory", "move that file away, or use another container")
    case .isAFile(let path): ("\(path) is a file", "use the directory that contains node.sqlite and locks")
    case .symbolicLink(let path):
      (
        "\(path) is a symbolic link, which could be redirected under running processes",
        "replace it with its target"
      )
    case .wrongOwner(let path, let owner, let expected):
      ("\(path) belongs to user \(owner), not to \(expected)", "run as its owner or change its owner")
    case .wrongMode(let path, let mode):
      ("\(path) can be written by others (mode \(String(mode, radix: 8)))", "run chmod go-w on it")
    case .noRights(let path): ("this user may not open \(path)", "check its permissions")
    case .notAPlainFile(let path, let because):
      (
        "\(path) cannot be used, \(because)",
        "stop both processes and move it away, or restore the original file"
      )
    case .lockUnavailable(let path, let because):
      ("\(path) cannot be locked, \(because)", "restore or remove it")
    case .notAContainer(let path, let because):
      ("\(path) is not a shared container, \(because)", "check the path")
    case .neverBegun(let path):
      ("\(path) is empty: the wallet was never used", "check that its disk has room, then open the app")
    case .containerReplaced(let path):
      ("\(path) was replaced or removed while it was open", "restore it, and restart both wallet processes")
    case .logReplaced(let path):
      ("\(path) was replaced or removed while it was open", "restart this process, which creates a new one")
    case .cutShort(let path):
      ("\(path) was truncated while it was open", "restart this process, which reports the damage")
    case .databaseLost(let path, let because): ("\(path) is lost, \(because)", Self.wayBack)
    case .lacksAPart(let path):
      ("\(path) is incomplete, as if its log had been removed", "restart both wallet processes")
    case .schemaFromTheFuture(let path, let found, let known):
      (
        "the database \(path) has schema \(found), this program knows \(known)",
        "use the version of the program that wrote it"
      )
    case .corrupt(let path, let because): ("\(path) is damaged (\(because))", Self.wayBack)
    case .full(let path): ("the disk of \(path) is full", "free some space and try again")
    case .readOnly(let path):
      ("\(path) cannot be written", "check its permissions and whether its disk is read-only")
    case .blocked(let path, nil):
      ("\(path) is in use by another process's transaction", "try again in a moment")
    case .blocked(let path, .some(let holder)): ("\(path) is in use: \(holder)", "try again in a moment")
    case .epochsExhausted(let path): ("\(path) has used up all epochs", Self.wayBack)
    case .epochJumpRefused(let from, let above):
      (
        "the epoch cannot be raised from \(from) above \(above), a difference that no restored copy explains",
        "ask the peer's operator"
      )
    case .intentIsTheAppsOnly: ("`setIntent` needs a container opened with role `.app`", "")
    case .workFailed(let words):
      ("the transaction was rolled back and nothing was written (\(words))", "fix the cause and try again")
    case .noRandomness: ("the kernel gave no random bytes", "try again")
    case .tooLargeToCopy(let path, let bytes, let most):
      (
        "\(path) has \(bytes) bytes, more than the \(most) that a snapshot copies",
        "check what wrote it, as a log has only megabytes"
      )
    case .noRoomForCopy(let path, let bytes, let free):
      (
        "\(path) has \(free) bytes free, and the snapshot's copy needs \(bytes)",
        "free some space, or set TMPDIR"
      )
    case .noPlaceForCopy(let path, let code):
      (
        "no directory for the snapshot's copy can be created in \(path) (\(Self.words(code, of: path)))",
        "set TMPDIR"
      )
    case .keepsChanging(let path):
      ("\(path) keeps changing while it is copied", "stop the writing process and try again")
    case .inputOutput(let path, let doing, let code):
      ("\(doing) \(path) failed (\(Self.words(code)))", Self.advice(code))
    case .database(let error): (error.description, "")
    }
  }

  /// An old copy of the channel must not be used: the newest state is in the peer's backup.
  fileprivate static let wayBack =
    "move the container's directory away and keep it, open the app, and run `baton restore`: the channel is restored from the peer's backup, and the peer refuses the old state"
}

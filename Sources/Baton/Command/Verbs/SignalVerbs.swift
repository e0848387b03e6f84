import DaemonRuntime
import Glibc
import PhonePolicy

/// `baton kill`, `freeze` and `thaw`: signals to one of the four processes.
enum SignalVerbs {
  static let target = PositionalDeclaration(
    "PROCESS", value: .choice(PhoneProcess.allCases.map(\.rawValue)), help: "app, extension, lspd or iosd")

  static func perform(
    _ invocation: Invocation, _ did: String, _ signal: ProcessSignal, _ sentence: (String) -> String
  ) throws -> ExitCode {
    let phone = try invocation.presentPhone
    guard let target = PhoneProcess(rawValue: invocation.word()) else { return .wrongUsage }
    let process = try target.find(in: phone)
    let words = "\(target.words) (process \(process.pid))"
    switch signal {
    case .kill, .crash: break
    case .freeze, .thaw:
      if let why = target.suspension(of: process, in: phone) { throw why }
      if signal == .thaw, !ProcessTable.isStopped(process.pid) {
        throw CommandFailure(.notDone, "\(words) is not frozen")
      }
    }
    try signal.send(to: process)
    return invocation.done(
      sentence(words), json: Document(did: did, process: target.rawValue, pid: process.pid))
  }

  struct Document: Report {
    /// killed, crashed, frozen or thawed.
    var did: String
    var process: String
    var pid: Int32
  }
}

enum KillVerb: Verb {
  private static let crashes: KeyValuePairs = ["segv": SIGSEGV, "abort": SIGABRT]

  static let declaration = CommandLineDeclaration(
    name: "kill", summary: "kill one of the four processes, or let it crash",
    options: [
      OptionDeclaration(
        "--crash", value: .choice(crashes.map { $0.key }),
        help: "a crash of its own, by SIGSEGV or SIGABRT, in place of SIGKILL")
    ],
    positionals: [SignalVerbs.target],
    examples: [
      ("baton kill app", "as iOS does without notice"),
      ("baton kill extension --crash segv", "iosd records a crash"),
    ])

  static func run(_ invocation: Invocation) throws -> ExitCode {
    guard let word = invocation.line.text("--crash"),
      let number = crashes.first(where: { $0.key == word })?.value
    else {
      return try SignalVerbs.perform(invocation, "killed", .kill) { "\($0) is killed" }
    }
    return try SignalVerbs.perform(invocation, "crashed", .crash(number)) {
      "\($0) is ended by \(SignalName.word(for: number))"
    }
  }
}

enum FreezeVerb: Verb {
  static let declaration = CommandLineDeclaration(
    name: "freeze", summary: "stop one of the four processes with SIGSTOP",
    positionals: [SignalVerbs.target],
    examples: [
      ("baton freeze app", "it holds what it has, and answers nothing"),
      ("baton freeze app; baton pay INVOICE", "offered, and pending until `baton thaw app`"),
    ])

  static func run(_ invocation: Invocation) throws -> ExitCode {
    try SignalVerbs.perform(invocation, "frozen", .freeze) {
      "\($0) is frozen; `baton thaw \(invocation.word())` continues it"
    }
  }
}

enum ThawVerb: Verb {
  static let declaration = CommandLineDeclaration(
    name: "thaw", summary: "continue a process that is frozen",
    positionals: [SignalVerbs.target],
    examples: [("baton thaw app", "it goes on where it was stopped")])

  static func run(_ invocation: Invocation) throws -> ExitCode {
    try SignalVerbs.perform(invocation, "thawed", .thaw) { "\($0) goes on" }
  }
}

import DaemonRuntime
import Ground
import Lightning

/// How `baton pay` tries again.
struct RetryOptions {
  static let declarations = [
    OptionDeclaration(
      "--retry", value: .choice(RetryPolicy.allCases.map(\.rawValue)), default: RetryPolicy.off.rawValue,
      help: "try again after a failure that may pass: as the peer hints, by a fixed schedule, or not at all"),
    OptionDeclaration(
      "--retry-deadline", value: .integer(10...15),
      help: "with --retry hint or interim: the seconds after which no attempt begins (default: 12)"),
    OptionDeclaration(
      "--attempts", value: .integer(1...Int64(SenderSettings.attemptsMost)),
      help: "with --retry hint or interim: at most N attempts (default: 4)"),
    OptionDeclaration(
      "--seed", value: .integer(0...Int64.max),
      help: "with --retry hint or interim: the same seed gives the same random parts of the pauses"),
    OptionDeclaration(
      "--hint-url", value: .text("URL"),
      help: "with --retry hint: the server of hints (default: the peer's, from lsp/http in the phone's home)"),
    OptionDeclaration(
      "--spendable", value: .text("AMOUNT"),
      help: "with --retry hint or interim: what the sender has; nothing is sent for a higher amount"),
    OptionDeclaration(
      "--button",
      help: "with --retry hint or interim: after a failure that may pass, Enter begins the payment anew"),
  ]

  let policy: RetryPolicy
  let hintURL: String?
  let hasButton: Bool
  private let spendableMsat: UInt64?
  private let deadline: TimeSpan
  private let attempts: Int
  private let seed: UInt64

  init(_ line: ParsedCommandLine) throws(CommandFailure) {
    policy = line.choice("--retry", as: RetryPolicy.self) ?? .off
    deadline = line.integer("--retry-deadline").map { .seconds($0) } ?? SenderSettings.standardDeadline
    attempts = Int(line.integer("--attempts") ?? Int64(SenderSettings.attemptsMost))
    // Short enough to be typed again.
    seed = line.integer("--seed").map { UInt64($0) } ?? UInt64(UInt32.random(in: 0 ... .max))
    hintURL = line.text("--hint-url")
    hasButton = line.isGiven("--button")
    spendableMsat = try line.text("--spendable").map { word throws(CommandFailure) in
      try InvoiceVerb.amountMsat(word, name: "--spendable")
    }
    if policy == .off {
      for name in ["--retry-deadline", "--attempts", "--seed", "--spendable", "--button"]
      where line.isGiven(name) {
        throw CommandFailure(.wrongUsage, "\(name) requires --retry hint or --retry interim")
      }
    }
    if let hintURL {
      if policy != .hint { throw CommandFailure(.wrongUsage, "--hint-url requires --retry hint") }
      try HintServer.check(hintURL)
    }
  }

  func holdSeconds(_ line: ParsedCommandLine) -> Int64? {
    line.integer("--hold-seconds")
      ?? (policy == .off ? nil : SenderSettings.standardHold.wholeMilliseconds / 1000)
  }

  /// Of the nth payment of this command. `patience`: how long one without retries may take.
  func settings(_ number: Int = 0, patience: TimeSpan? = nil) -> SenderSettings {
    SenderSettings(
      policy, deadline: deadline, attempts: attempts, seed: seed &+ UInt64(number), patience: patience,
      spendableMsat: spendableMsat)
  }
}

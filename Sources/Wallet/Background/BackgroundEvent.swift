import Ground
import Guardrails

/// A kind of background task that the app declares.
public enum BackgroundTask: String, Hashable, Codable, Sendable, CaseIterable {
  /// A short check of the wallet.
  case refresh
  /// Longer work, while charging: old journals are removed.
  case processing
  /// Asks for Paykit's payment requests, with the node: as Bitkit does.
  case paykitPoll = "paykit-poll"

  public var identifier: String {
    switch self {
    case .refresh: "com.example.lightning.sync"
    case .processing: "com.example.lightning.processing"
    case .paykitPoll: WalletProfile.paykitPoll
    }
  }

  /// The phone has at most one refresh task of an app, so only the check of the wallet is one.
  public var isRefresh: Bool { self == .refresh }
  public var needsNetwork: Bool { self == .paykitPoll }
  public var needsPower: Bool { self == .processing }

  /// Phoenix checks its channels every four hours.
  public var earliestSeconds: Int64 {
    switch self {
    case .refresh: 14_400
    case .processing: 1800
    case .paykitPoll: 900
    }
  }

  public init?(identifier: String) {
    guard let task = Self.allCases.first(where: { $0.identifier == identifier }) else { return nil }
    self = task
  }
}

/// The result of one step of a run.
public enum BackgroundStep: Hashable, Codable, Sendable {
  case done(String)
  case failed(String)
  /// Repeat the step soon.
  case busy(String)
  /// There is more to do.
  case goesOn
}

/// An event of the app's background work.
public enum BackgroundEvent: Hashable, Codable, Sendable {
  case deadlineReached
  case enteredForeground
  case enteredBackground
  case runBegan(BackgroundTask, run: UInt64)
  case runExpires(run: UInt64)
  case stepDone(run: UInt64, BackgroundStep)

  // For runs that need the node.
  /// It is connected.
  case nodeReady
  /// The guard has given the node back, or does not take it because the app is in front and has it anyway.
  case nodeServed(run: UInt64, SilentPushOutcome, isInFront: Bool)
  /// Why the node cannot be used.
  case nodeHindered(String)
}

/// An order of the background work.
public enum BackgroundDirective: Hashable, Codable, Sendable {
  /// To the phone: schedule this task once; replaces a pending submission.
  case submit(BackgroundTask)
  /// To the phone: exactly once for each run, with a sentence for users.
  case complete(BackgroundTask, run: UInt64, isSuccess: Bool, String)
  case playAudio
  case stopAudio
  /// To the container: check who holds the node, and that the channel can be read. Answered by `stepDone`.
  case lookAtWallet(run: UInt64)
  /// Remove one old journal. Answered by `stepDone`.
  case cleanUp(run: UInt64)
  /// To the guard: take the node as for a silent push, in this time of the phone's. Answered by `nodeServed`, exactly
  /// once.
  case wantNode(run: UInt64, time: TimeSpan)
  /// To the guard: the time is over, give the node back.
  case giveUpNode(run: UInt64)
}

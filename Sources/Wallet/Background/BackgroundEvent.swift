import Ground

/// A kind of background task that the app declares.
public enum BackgroundTask: String, Hashable, Codable, Sendable, CaseIterable {
  /// A short check of the wallet.
  case refresh
  /// Longer work, while charging: old journals are removed.
  case processing

  public var identifier: String {
    switch self {
    case .refresh: "com.example.lightning.sync"
    case .processing: "com.example.lightning.processing"
    }
  }

  /// Phoenix checks its channels every four hours.
  public var earliestSeconds: Int64 {
    switch self {
    case .refresh: 14_400
    case .processing: 1800
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
}

/// An order of the background work.
public enum BackgroundDirective: Hashable, Codable, Sendable {
  /// To the phone: schedule this task once; replaces a pending submission.
  case submit(BackgroundTask)
  /// To the phone: exactly once for each run, with a sentence for users.
  case complete(BackgroundTask, run: UInt64, isSuccess: Bool, String)
  case playAudio
  case stopAudio
  /// To the container: check who owns the node, and that the channel can be read. Answered by `stepDone`.
  case lookAtWallet(run: UInt64)
  /// Remove one old journal. Answered by `stepDone`.
  case cleanUp(run: UInt64)
}

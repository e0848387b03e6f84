import Ground

/// A kind of background task that the app declares.
public enum BackgroundTask: String, Hashable, Codable, Sendable, CaseIterable {
  /// A short look at the wallet.
  case refresh
  /// Longer work, at the charger: old journals are removed.
  case processing

  public var identifier: String {
    switch self {
    case .refresh: "com.example.lightning.sync"
    case .processing: "com.example.lightning.processing"
    }
  }

  /// Phoenix looks after its channels every four hours.
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

/// What came of one step of a run.
public enum BackgroundStep: Hashable, Codable, Sendable {
  case done(String)
  case failed(String)
  /// Look again soon.
  case busy(String)
  /// There is more to do.
  case goesOn
}

/// What can happen to the app's work in the background.
public enum BackgroundEvent: Hashable, Codable, Sendable {
  case deadlineReached
  case enteredForeground
  case enteredBackground
  case runBegan(BackgroundTask, run: UInt64)
  case runExpires(run: UInt64)
  case stepDone(run: UInt64, BackgroundStep)
}

/// What it asks for.
public enum BackgroundDirective: Hashable, Codable, Sendable {
  /// Of the phone: time for this, once; what waits from before is replaced.
  case submit(BackgroundTask)
  /// To the phone: exactly once for each run, with a sentence for people.
  case complete(BackgroundTask, run: UInt64, isSuccess: Bool, String)
  case playAudio
  case stopAudio
  /// Of the container: who owns the node, and whether the channel can be read. Answered by `stepDone`.
  case lookAtWallet(run: UInt64)
  /// One old journal less. Answered by `stepDone`.
  case cleanUp(run: UInt64)
}

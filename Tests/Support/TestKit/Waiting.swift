import Foundation
import Testing

extension Trait where Self == Waiting {
  /// The suite's tests wait for other processes. They run on threads of their own: Swift's tasks have one thread for each
  /// core, so two waiting tests would stop all others on two cores.
  public static var waits: Self { Self() }
}

public struct Waiting: SuiteTrait, TestTrait, TestScoping {
  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await body() }
    try await withTaskExecutorPreference(WaitingThreads.shared) { try await body() }
  }
}

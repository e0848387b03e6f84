import Ground
import DaemonRuntime
import Glibc
import PhonePolicy

/// Holds the extension to its memory limit by the most exact means there is, and says which that is. When the limit
/// is reached is a fact that it finds or is told by the kernel; what follows from it is the core's.
final class MemoryLimiter {
  /// What a user asks for.
  enum Choice: String, CaseIterable {
    case auto
    case cgroup
    case polling
  }

  enum Mechanism: String {
    case cgroup = "memory cgroup"
    case polling
    case none
  }

  /// A sample costs some 20 µs.
  static let pollSpan = TimeSpan.milliseconds(5)

  private let group: MemoryGroup?
  /// Nil where there is one, or none is wanted.
  let whyNoGroup: String?
  private let isEnforced: Bool

  init(_ options: PhoneOptions) throws(SystemError) {
    isEnforced = options.configuration.enforcesLimits
    guard isEnforced, options.memoryMechanism != .polling else {
      (group, whyNoGroup) = (nil, nil)
      return
    }
    do throws(SystemError) {
      group = try MemoryGroup(limitBytes: options.configuration.extensionMemoryBytes)
      whyNoGroup = nil
    } catch {
      if options.memoryMechanism == .cgroup { throw error }
      group = nil
      whyNoGroup = error.description
    }
  }

  var groupPath: String? { group?.path }

  var mechanism: Mechanism {
    if !isEnforced { return .none }
    return group == nil ? .polling : .cgroup
  }

  var exactness: String {
    switch mechanism {
    case .cgroup:
      "exact: the kernel ends it with the page that would cross the limit; its kernel memory counts too"
    case .polling:
      "RssAnon + VmSwap, read every \(Self.pollSpan.wholeMilliseconds) ms: ones that grew as fast as they could were seen to be ended up to 12 MB above"
    case .none: "measured only: a debug build has no limits"
    }
  }

  /// What the next extension joins; -1 for nothing.
  func openGroup() throws(SystemError) -> Int32 { try group?.open() ?? -1 }

  /// What the last extension had when the kernel killed it at the limit; nil if it did not.
  func bytesAtKill() -> UInt64? {
    guard let group, group.hasKilled else { return nil }
    return group.peakBytes
  }

  func removeGroup() { group?.remove() }
}

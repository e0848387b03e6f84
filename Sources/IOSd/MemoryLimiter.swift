import Ground
import DaemonRuntime
import Glibc
import PhonePolicy

/// Enforces the extension's memory limit by the most exact available mechanism, and names it. It detects that the
/// limit is reached, or the kernel reports it; the core decides what follows.
final class MemoryLimiter {
  /// The mechanism that the user chose.
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
  /// Why there is no group; nil if there is one or none was requested.
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
      "exact: the kernel kills the extension at the page that would cross the limit; kernel memory used for it counts too"
    case .polling:
      "RssAnon + VmSwap, read every \(Self.pollSpan.wholeMilliseconds) ms: extensions that grew at full speed were killed up to 12 MB above the limit"
    case .none: "measured only: a debug build has no limits"
    }
  }

  /// The cgroup that the next extension joins; -1 for none.
  func openGroup() throws(SystemError) -> Int32 { try group?.open() ?? -1 }

  /// The last extension's memory when the kernel killed it at the limit; nil if the kernel did not.
  func bytesAtKill() -> UInt64? {
    guard let group, group.hasKilled else { return nil }
    return group.peakBytes
  }

  func removeGroup() { group?.remove() }
}

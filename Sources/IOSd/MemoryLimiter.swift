import DaemonRuntime
import Glibc
import Ground
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

/// A memory cgroup of our own, below iosd's: the kernel kills a process that exceeds its limit.
///
/// One group lives as long as iosd, and each extension joins it: the kernel keeps a group as long as any page cache
/// is charged to it, so one group per run would leave hundreds of dead ones behind.
final class MemoryGroup {
  let path: String
  private let limitBytes: UInt64
  private var killsBefore: UInt64 = 0

  /// Creates the group with its limit, or fails.
  init(limitBytes: UInt64) throws(SystemError) {
    guard let parent = Self.place() else { throw SystemError("find a memory cgroup (v1)", code: ENODEV) }
    Self.removeAbandoned(in: parent)
    path = "\(parent)/\(Self.name(pid: getpid(), startTime: ProcessTable.startTime(of: getpid()) ?? 0))"
    self.limitBytes = limitBytes
    try make()
  }

  private func make() throws(SystemError) {
    if mkdir(path, 0o755) != 0 { throw SystemError("create \(path)") }
    do throws(SystemError) {
      try write("\(limitBytes)", to: "memory.limit_in_bytes")
      // Memory and swap together; the file is missing where the kernel does not account for swap.
      if access("\(path)/memory.memsw.limit_in_bytes", F_OK) == 0 {
        try write("\(limitBytes)", to: "memory.memsw.limit_in_bytes")
      }
    } catch {
      remove()
      throw error
    }
  }

  /// Opens `cgroup.procs` for the next process and resets the counters. Anybody may remove a group without processes:
  /// an iosd that finds its own gone makes it again, or it could not start another extension.
  func open() throws(SystemError) -> Int32 {
    if access(path, F_OK) != 0 { try make() }
    try write("0", to: "memory.max_usage_in_bytes")
    killsBefore = kills ?? 0
    let descriptor = Glibc.open("\(path)/cgroup.procs", O_WRONLY | O_CLOEXEC)
    if descriptor < 0 { throw SystemError("open \(path)/cgroup.procs") }
    return descriptor
  }

  /// Whether the kernel has killed a process since the last `open`.
  var hasKilled: Bool { kills.map { $0 > killsBefore } ?? false }

  /// The most that was charged since the last `open`, page cache and kernel memory included.
  var peakBytes: UInt64? { number(in: "memory.max_usage_in_bytes") }

  /// Only an empty group can be removed: call it when the last process has been reaped.
  func remove() { rmdir(path) }

  private var kills: UInt64? {
    guard let text = SmallFile.read("\(path)/memory.oom_control", limit: 4096) else { return nil }
    for line in text.split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
      if words.count == 2, words[0] == "oom_kill" { return UInt64(words[1]) }
    }
    return nil
  }

  private func number(in file: String) -> UInt64? {
    guard let text = SmallFile.read("\(path)/\(file)", limit: 64) else { return nil }
    return UInt64(String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
  }

  private func write(_ text: String, to file: String) throws(SystemError) {
    let descriptor = Glibc.open("\(path)/\(file)", O_WRONLY | O_CLOEXEC)
    if descriptor < 0 { throw SystemError("open \(path)/\(file)") }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    if Glibc.write(descriptor, bytes, bytes.count) != bytes.count {
      throw SystemError("write \(path)/\(file)")
    }
  }

  // MARK: Names

  private static func name(pid: Int32, startTime: UInt64) -> String { "baton-\(pid)-\(startTime)" }

  /// A killed iosd leaves an empty group, which the next iosd removes once nobody has its pid. The start time is no
  /// sign of an end: in another time namespace the same process has another one.
  static func removeAbandoned(in parent: String) {
    for name in DirectoryListing.names(of: parent) ?? [] {
      let parts = name.split(separator: "-")
      guard parts.count == 3, parts[0] == "baton", let pid = Int32(parts[1]), UInt64(parts[2]) != nil,
        kill(pid, 0) != 0 && errno == ESRCH
      else { continue }
      rmdir("\(parent)/\(name)")
    }
  }

  // MARK: Parent group

  /// The directory of this process's own memory group; nil if there is none, as with cgroup v2 only.
  static func place() -> String? {
    guard let mounts = SmallFile.read("/proc/self/mountinfo", limit: 1 << 20),
      let groups = SmallFile.read("/proc/self/cgroup", limit: 1 << 16)
    else { return nil }
    return place(
      mountinfo: String(decoding: mounts, as: UTF8.self), cgroup: String(decoding: groups, as: UTF8.self))
  }

  static func place(mountinfo: String, cgroup: String) -> String? {
    guard let own = ownGroup(cgroup) else { return nil }
    for line in mountinfo.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard let dash = fields.firstIndex(of: "-"), dash >= 6, fields.count > dash + 3,
        fields[dash + 1] == "cgroup", fields[dash + 3].split(separator: ",").contains("memory")
      else { continue }
      // The part of the hierarchy that is mounted here; in a container only a part.
      let root = fields[3] == "/" ? "" : String(fields[3])
      guard own == root || own.hasPrefix("\(root)/") else { continue }
      let below = own.dropFirst(root.count)
      return "\(fields[4])\(below == "/" ? "" : below)"
    }
    return nil
  }

  /// A line is `4:memory:/some/group`; a hierarchy may have several controllers.
  private static func ownGroup(_ cgroup: String) -> String? {
    for line in cgroup.split(separator: "\n") {
      let fields = line.split(separator: ":", maxSplits: 2)
      if fields.count == 3, fields[1].split(separator: ",").contains("memory") { return String(fields[2]) }
    }
    return nil
  }
}

@testable import IOSd

@Suite(.waits) struct MemoryGroupTests {
  private static let mounts = """
    29 23 0:26 / /sys/fs/cgroup ro,nosuid shared:9 - tmpfs tmpfs ro,mode=755
    31 29 0:28 / /sys/fs/cgroup/cpu,cpuacct rw shared:11 - cgroup cgroup rw,cpu,cpuacct
    33 29 0:30 / /sys/fs/cgroup/memory rw,relatime shared:13 - cgroup cgroup rw,memory
    """

  @Test func `iosd finds its own memory cgroup below the controller's mount point`() {
    let groups = "5:cpu,cpuacct:/a\n4:memory:/user/me\n0::/"
    expect(MemoryGroup.place(mountinfo: Self.mounts, cgroup: groups), is: "/sys/fs/cgroup/memory/user/me")
    expect(MemoryGroup.place(mountinfo: Self.mounts, cgroup: "4:memory:/\n"), is: "/sys/fs/cgroup/memory")
  }

  @Test func `Of a partly mounted cgroup hierarchy only cgroups within the mounted part are found`() {
    let mount = "33 29 0:30 /box/7 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory"
    expect(MemoryGroup.place(mountinfo: mount, cgroup: "4:memory:/box/7/x"), is: "/sys/fs/cgroup/memory/x")
    expect(MemoryGroup.place(mountinfo: mount, cgroup: "4:memory:/box/7"), is: "/sys/fs/cgroup/memory")
    #expect(MemoryGroup.place(mountinfo: mount, cgroup: "4:memory:/box/77") == nil)
  }

  @Test(arguments: [
    ("", "4:memory:/"), ("33 29 0:30 / /x rw - cgroup2 cgroup2 rw,memory", "4:memory:/"),
    ("33 29 0:30 / /x rw - cgroup cgroup rw,cpu", "4:memory:/"), ("- cgroup cgroup rw,memory", "4:memory:/"),
    ("33 29 0:30 / /x rw - cgroup cgroup rw,memory", "0::/"),
    ("33 29 0:30 / /x rw - cgroup cgroup rw,memory", "4:memory"),
  ])
  func `Without a v1 memory controller, or with malformed lines, no memory cgroup is found`(
    _ mountinfo: String, _ cgroup: String
  ) {
    #expect(MemoryGroup.place(mountinfo: mountinfo, cgroup: cgroup) == nil)
  }

  /// Whether this machine lets us make a group; tests that need one read it.
  static let canBeMade: Bool = {
    guard let group = try? MemoryGroup(limitBytes: 1 << 30) else { return false }
    group.remove()
    return true
  }()

  @Test(.enabled(if: canBeMade, "a memory cgroup (v1) that this user can write"))
  func `A memory cgroup of a pid that nobody has is removed, and that of a living process is not`() throws {
    let parent = try #require(MemoryGroup.place())
    // As of another time namespace: our pid, with another start time.
    let (living, left) = ("\(parent)/baton-\(getpid())-1", "\(parent)/baton-\(Int32.max)-1")
    for group in [living, left] { try #require(mkdir(group, 0o755) == 0) }
    defer { rmdir(living) }
    MemoryGroup.removeAbandoned(in: parent)
    #expect(access(left, F_OK) != 0 && access(living, F_OK) == 0)
  }

  @Test(.enabled(if: canBeMade, "a memory cgroup (v1) that this user can write"))
  func `A memory cgroup that another program has removed is made again for the next extension`() throws {
    let group = try MemoryGroup(limitBytes: 1 << 30)
    defer { group.remove() }
    try #require(rmdir(group.path) == 0)
    close(try group.open())
    let limit = SmallFile.read("\(group.path)/memory.limit_in_bytes", limit: 64)
    expect(limit.map { String(decoding: $0, as: UTF8.self) }, is: "1073741824\n")
  }
}

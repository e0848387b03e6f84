import DaemonRuntime
import Glibc
import Testing
import WaitingTests

@testable import IOSd

@Suite("The mount table", .waits) struct MountTableTests {
  private func parse(_ lines: String...) -> MountTable? {
    MountTable(Array(lines.map { $0 + "\n" }.joined().utf8))
  }

  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test
  func
    `Lines of the mount table may have optional fields and escaped paths, and device numbers are encoded as in stat`()
    throws
  {
    let table = try #require(
      parse(
        #"36 27 254:16 / /mnt/a\040disk\134\012 rw,noatime - ext4 /dev/vdb rw"#,
        "37 27 0:4 net:[4026531840] /run/netns/a rw shared:1 - nsfs nsfs rw",
        #"38 27 4095:1048575 /part//deleted /- rw master:1 propagate_from:2 - xfs \043 rw"#))
    #expect(table.mounts.map(\.place) == [bytes("/mnt/a disk\\\n"), bytes("/run/netns/a"), bytes("/-")])
    #expect(table.mounts.map(\.root) == [bytes("/"), bytes("net:[4026531840]"), bytes("/part//deleted")])
    #expect(table.mounts.map(\.kind) == [bytes("ext4"), bytes("nsfs"), bytes("xfs")])
    #expect(table.mounts.map(\.device) == [0xFE10, 4, 0xFFFF_FFFF])
    #expect(MountTable([])?.mounts == [])
  }

  @Test(
    arguments: [
      "36", "36 27 254:16 / /mnt rw", "36 27 254:16 / /mnt rw - ", "36 27 254:16 / /mnt rw -",
      "36 27 254:16 / /mnt rw ext4 /dev/vdb rw", "36 27 254:16 / mnt rw - ext4 /dev/vdb rw",
      "36 27 254:16  /mnt rw - ext4 /dev/vdb rw", "36 27 254 / /mnt rw - ext4 /dev/vdb rw",
      "36 27 254:16:1 / /mnt rw - ext4 /dev/vdb rw", "36 27 -1:16 / /mnt rw - ext4 /dev/vdb rw",
      "36 27 +1:16 / /mnt rw - ext4 /dev/vdb rw", "36 27 : / /mnt rw - ext4 /dev/vdb rw",
      "36 27 4294967296:16 / /mnt rw - ext4 /dev/vdb rw", #"36 27 254:16 / /mnt\ rw - ext4 /dev/vdb rw"#,
      #"36 27 254:16 / /mnt\04 rw - ext4 /dev/vdb rw"#, #"36 27 254:16 / /mnt\080 rw - ext4 /dev/vdb rw"#,
      #"36 27 254:16 / /mnt\400 rw - ext4 /dev/vdb rw"#, "\0",
    ])
  func `With one malformed line the whole mount table is rejected`(_ line: String) {
    let good = "35 27 254:17 / /srv rw - ext4 /dev/vdc rw"
    #expect(parse(good) != nil)
    #expect(parse(good, line) == nil)
    #expect(parse(line, good) == nil)
  }

  @Test
  func `Mount paths are bytes: invalid UTF-8 and canonically equivalent names stay distinct`() throws {
    let head = bytes("36 27 254:16 / /mnt/")
    let tail = bytes(" rw - ext4 /dev/vdb rw\n")
    let names: [[UInt8]] = [[0xFF], [0xFE], [0xC3, 0xA9], [0x65, 0xCC, 0x81]]
    let table = try #require(MountTable(names.flatMap { head + $0 + tail }))
    #expect(table.mounts.map(\.place) == names.map { bytes("/mnt/") + $0 })
    #expect(Set(table.mounts.map(\.place)).count == 4)
  }

  @Test
  func `This machine's mount table is parsed, and has the root directory with the device number of stat`()
    throws
  {
    let table = try #require(MountTable.read())
    var status = stat()
    try #require(stat("/", &status) == 0)
    #expect(table.mounts.contains { $0.place == bytes("/") && $0.device == UInt64(status.st_dev) })
  }

  @Test
  func
    `The container's resolved path has one slash before its name, also if the phone's directory is the root`()
  {
    #expect(SharedDisk.place(of: "//AppGroup", in: "/") == bytes("/AppGroup"))
    #expect(SharedDisk.place(of: "/proc/AppGroup", in: "/proc") == bytes("/proc/AppGroup"))
    #expect(SharedDisk.place(of: "/proc//AppGroup", in: "/proc/") == bytes("/proc/AppGroup"))
    #expect(SharedDisk.place(of: "/proc/nobody/AppGroup", in: "/proc/nobody") == nil)
  }

  @Test
  func `A disk is the container's own if its kind is known and all of it is mounted there and only there`()
    throws
  {
    let root = "27 1 254:0 / / rw - ext4 /dev/vda rw"
    func reason(_ device: UInt64, _ lines: String...) throws -> SharedDisk? {
      let text = ([root] + lines).map { $0 + "\n" }.joined()
      return SharedDisk(at: bytes("/phone"), device, try #require(MountTable(Array(text.utf8))))
    }
    let own = "40 27 0:50 / /phone rw - tmpfs tmpfs rw"
    #expect(try reason(50, own) == nil)
    #expect(try reason(50) == .notMounted)
    #expect(try reason(51, own) == .notMounted, "another file system is mounted over it")
    #expect(try reason(50, "40 27 0:50 / /phones rw - tmpfs tmpfs rw") == .notMounted)
    #expect(try reason(50, "40 27 0:50 /app /phone rw - tmpfs tmpfs rw") == .part("/app"))
    for kind in ["ext2", "ext3", "ext4", "xfs"] {
      #expect(try reason(50, "40 27 0:50 / /phone rw - \(kind) /dev/loop0 rw") == nil)
    }
    for kind in ["btrfs", "zfs", "overlay", "fuse.sshfs", "nfs4", "ramfs", "TMPFS", "tmpfs.a"] {
      #expect(try reason(50, "40 27 0:50 / /phone rw - \(kind) a rw") == .otherKind(kind))
      // btrfs subvolumes have device numbers that no mount has.
      #expect(try reason(77, "40 27 0:50 / /phone rw - \(kind) a rw") == .otherKind(kind))
    }
    let second = "41 27 0:50 /b /srv/b rw - tmpfs tmpfs rw"
    #expect(try reason(50, own, second) == .alsoMounted(at: "/srv/b"))
    #expect(try reason(50, second, own) == .alsoMounted(at: "/srv/b"))
    #expect(try reason(50, own, own) == .alsoMounted(at: "/phone"))
    // One mounted over the other: the device number says which one is visible.
    let above = "42 40 0:60 / /phone rw - tmpfs tmpfs rw"
    #expect(try reason(60, own, above) == nil)
    #expect(try reason(60, own, above, "43 27 0:50 / /srv rw - tmpfs tmpfs rw") == nil)
    #expect(try reason(60, own, above, "43 27 0:60 / /srv rw - tmpfs tmpfs rw") == .alsoMounted(at: "/srv"))
  }
}

@testable import IOSd

/// `/proc/self/mountinfo`, with names that any user who mounts a file system chooses.
enum MountTableFuzz: FuzzTarget {
  static let name = "mount-table"
  static let longestInput = 512

  static var seeds: [[UInt8]] {
    [
      #"""
      27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
      36 27 0:50 / /phone/App\040Group rw shared:1 master:2 - tmpfs tmpfs rw,size=16m
      37 27 0:4 net:[4026531840] /run/netns/a\134 rw - nsfs nsfs rw
      """#
    ].map { Array($0.utf8) }
  }

  static func feed(_ bytes: [UInt8]) {
    guard let table = MountTable(bytes) else { return }
    promise(
      table.mounts.count == bytes.split(separator: UInt8(ascii: "\n")).count, "a line gives no mount, or two")
    promise(MountTable(table.mounts.flatMap(line)) == table, "a mount table does not round-trip")
    for mount in table.mounts {
      if let reason = SharedDisk(at: mount.place, mount.device, table) { promiseOneLine(reason.description) }
    }
  }

  private static func line(_ mount: MountTable.Mount) -> [UInt8] {
    let major = mount.device >> 8 & 0xFFF | mount.device >> 32 & ~0xFFF
    let minor = mount.device & 0xFF | mount.device >> 12 & ~0xFF & 0xFFFF_FFFF
    let words = [
      Array("1 0 \(major):\(minor)".utf8), octal(mount.root), octal(mount.place), Array("rw -".utf8),
    ]
    return Array((words + [octal(mount.kind), Array("a rw\n".utf8)]).joined(separator: Array(" ".utf8)))
  }

  private static func octal(_ bytes: [UInt8]) -> [UInt8] {
    bytes.flatMap { [UInt8(ascii: "\\")] + [$0 >> 6, $0 >> 3 & 7, $0 & 7].map { $0 + UInt8(ascii: "0") } }
  }
}

import Foundation

/// What iosd wrote about the phone: optional, as a wallet can be run without one.
struct PhoneEvidence {
  struct Push {
    let id: Int64
    let isVisible: Bool
    let atNs: Int64
    /// What became of it, in the words of docs/protocols.md.
    let fate: String?

    /// An app in front gets the push itself, and shows what it likes.
    var isAppsOwn: Bool { fate == "given to the app in front" }

    /// The phone was killed before there was anything to show.
    var isLost: Bool { fate == "lost: gone with an earlier iosd" }

    /// The person lets the wallet show nothing, or the phone rebooted before there was anything to show.
    var isUnwanted: Bool {
      fate.map { $0.hasPrefix("not shown: ") || $0.hasPrefix("dropped: the phone rebooted ") } ?? false
    }
  }

  struct Notification {
    let id: Int64
    let push: Int64?
  }

  struct Process {
    let id: Int64
    let role: String
    let pid: Int64
    let how: String?
    let number: Int64?
    let reason: String?
    let isCrash: Bool
    let peakFootprintBytes: Int64?

    /// It may have said why, and then it is no crash.
    var endedWithError: Bool { how == "exited" && number != 0 }
  }

  let pushes: [Push]
  let notifications: [Notification]
  /// The last word on each process, in the order of their starts.
  let processes: [Process]

  init(directory: String) {
    self.init(
      pushes: Self.bytes(directory + "/pushes.jsonl"),
      notifications: Self.bytes(directory + "/notifications.jsonl"),
      processes: Self.bytes(directory + "/processes.jsonl"))
  }

  init(pushes: [UInt8], notifications: [UInt8], processes: [UInt8]) {
    var taken: [Push] = []
    for row in Self.rows(pushes) {
      guard let id = row["id"]?.integer, let visible = row["visible"], let at = row["at_ns"]?.integer else {
        continue
      }
      let push = Push(id: id, isVisible: visible.isTrue, atNs: at, fate: row["fate"]?.text)
      // A row with a fate is a later word on the same push.
      if row["fate"] != nil, let index = taken.lastIndex(where: { $0.id == id }) {
        taken[index] = push
      } else {
        taken.append(push)
      }
    }
    self.pushes = taken
    var shown: [Notification] = []
    for row in Self.rows(notifications) {
      guard let id = row["id"]?.integer else { continue }
      if row["withdrawn"]?.isTrue == true {
        // Taken back: the person does not see it any more.
        shown.removeAll { $0.id == id && $0.push == nil }
      } else if row["answer"] != nil, shown.contains(where: { $0.id == id }) {
        // The person did something with it, and saw it before: it is no other one.
      } else {
        shown.append(Notification(id: id, push: row["push"]?.integer))
      }
    }
    self.notifications = shown
    var newest: [Int64: Process] = [:]
    for row in Self.rows(processes) {
      guard let id = row["id"]?.integer, let role = row["role"]?.text, let pid = row["pid"]?.integer else {
        continue
      }
      newest[id] = Process(
        id: id, role: role, pid: pid, how: row["how"]?.text, number: row["number"]?.integer,
        reason: row["reason"]?.text, isCrash: row["crashed"]?.isTrue ?? false,
        peakFootprintBytes: row["peak_footprint_bytes"]?.integer)
    }
    self.processes = newest.keys.sorted().compactMap { newest[$0] }
  }

  private static func bytes(_ path: String) -> [UInt8] {
    [UInt8](FileManager.default.contents(atPath: path) ?? Data())
  }

  /// Lines that are none (torn by a kill) are nobody's.
  private static func rows(_ bytes: [UInt8]) -> [JSONValue] {
    bytes.split(separator: 10).compactMap { JSONParser.parse(Array($0)) }
  }
}

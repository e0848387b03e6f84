// Baton/Timeline: a run as a picture: lanes with spans, arrows and marks, made from the records of journals or of a
// simulated world, and written as a page, a drawing or a trace. Pure: it reads no file.

import Ground

/// A run, ready to be drawn. Items are in the order of their beginnings.
package struct Timeline: Hashable, Sendable {
  package var title: String
  /// The first record's instant; all others are shown relative to it.
  package var start: Instant
  package var end: Instant
  /// The wall clock at `start`, in nanoseconds since 1970; nil in virtual time.
  package var startWall: Int64?
  package var lanes: [TimelineLane]
  package var spans: [TimelineSpan]
  package var arrows: [TimelineArrow]
  package var marks: [TimelineMark]
  package var records: [TimelineRecord]
  package var findings: [TimelineFinding] = []
  /// What is missing from the picture, one sentence each.
  package var remarks: [String] = []
  /// Places of rows that a verdict names, such as `ledger payments 3`.
  package var anchors: [String: TimelineAnchor] = [:]

  package var length: TimeSpan { end - start }
}

package struct TimelineAnchor: Hashable, Sendable {
  package var at: Instant
  package var record: Int
}

/// A violation that the picture marks.
package struct TimelineFinding: Hashable, Sendable {
  package var title: String
  package var sentence: String
  /// Where it shows; nil if no record does.
  package var anchor: TimelineAnchor? = nil
}

/// Something that lasts.
package struct TimelineSpan: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// From a process's start to its end.
    case life
    /// A process holds the node.
    case epoch
    /// Another process has claimed a higher epoch, and this one has not released, ended or been fenced.
    case superseded
    case suspended
    case frozen
    /// An owner without a beat for longer than two beats.
    case silent
    case connection
    case push
    case asked
    case held
    case offered
    case sent
  }

  package var lane: Int
  package var row = 0
  package var kind: Kind
  package var from: Instant
  package var to: Instant
  package var label: String
  package var epoch: Epoch?
  /// The record at which it begins.
  package var record: Int
  /// It had not ended when the last record was written.
  package var isOpen = false
}

/// Something that goes from one lane to another.
package struct TimelineArrow: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case presence
    case wire
    case push
    case launch
    case kill
    case content
    case payment
    /// From the end of an owner to the claim of the next one.
    case takeover
  }

  package var kind: Kind
  package var fromLane: Int
  package var from: Instant
  package var toLane: Int
  package var to: Instant
  package var label: String
  package var fromRecord: Int
  package var toRecord: Int
}

/// Something that happens at one instant.
package struct TimelineMark: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case start
    case end
    case kill
    case crash
    case beat
    case claim
    case release
    case fenced
    case refused
    case push
    case notification
    case user
    case received
    case settled
    case failed
    case fault
    case violation
  }

  package var lane: Int
  package var kind: Kind
  package var at: Instant
  package var label: String
  package var record: Int
}

/// One line of a journal.
package struct TimelineRecord: Hashable, Sendable {
  package enum Weight: Int, Hashable, Sendable { case detail, normal, key }

  package var lane = 0
  package var at: Instant
  package var weight: Weight
  /// What `baton logs` says of it.
  package var text: String
  /// The journal and the line's number; nil in a simulated run.
  package var file: String? = nil
  package var line: Int = 0
  /// The line itself, perhaps cut off.
  package var raw: String = ""
}

/// One horizontal lane: a process of the wallet with all its starts, the phone, the peer, or the payments.
package struct TimelineLane: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable {
    case payments
    case peer
    case phone
    case app
    case `extension`
    /// A process with a journal that is none of ours.
    case other
    /// User actions and faults of a simulated world.
    case events
  }

  package var kind: Kind
  package var name: String
  /// How many spans may lie beside each other.
  package var rows = 1
}

/// What a lane stands for. The user's second device has lanes of its own.
package enum TimelineWho: Hashable, Sendable {
  case payments
  case events(device: Int = 0)
  case peer
  case phone(device: Int = 0)
  case wallet(Role, device: Int = 0)
  case other(String)

  /// `order`: from the sender at the top down to the wallet's processes.
  private var row: (kind: TimelineLane.Kind, device: Int, order: Int, name: String) {
    switch self {
    case .payments: (.payments, 0, 0, "payments")
    case .events(let device): (.events, device, 1 + device, "user, faults")
    case .peer: (.peer, 0, 10, "peer")
    case .phone(let device): (.phone, device, 20 + 10 * device, "phone")
    case .wallet(.app, let device): (.app, device, 21 + 10 * device, "app")
    case .wallet(.extension, let device): (.extension, device, 22 + 10 * device, "extension")
    case .other(let name): (.other, 0, 1000, name)
    }
  }

  var kind: TimelineLane.Kind { row.kind }
  var device: Int { row.device }
  var order: Int { row.order }
  var name: String { device == 0 ? row.name : "\(row.name) \(device + 1)" }
}

/// Times as the picture shows them.
package enum TimeText {
  /// Exact to a microsecond below a second: `0.412 ms`, `146.318 ms`, `3.205 s`, `62.004 s`.
  package static func span(_ span: TimeSpan) -> String {
    let nanoseconds = max(0, span.nanoseconds)
    return nanoseconds < 1_000_000_000
      ? "\(thousandths(nanoseconds / 1000)) ms" : "\(thousandths(nanoseconds / 1_000_000)) s"
  }

  private static func thousandths(_ number: Int64) -> String {
    "\(number / 1000).\("\(1000 + number % 1000)".dropFirst())"
  }
}

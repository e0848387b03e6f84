import Ground

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

// Ground: the types that every module may use: instants, the one shape of a state machine, the identity of processes,
// claims, 32 bytes and their text. Pure: no Foundation, no imports. A core has no clock: the time is an argument, so a
// journal can be replayed and a simulation can run years in minutes.

/// The one shape of every decision in the project.
///
/// The caller reads the world, calls `handle`, and carries out the directives in order; it decides nothing. An event
/// that is irrelevant in the current state is a no-op, never an error.
public protocol Machine: Hashable, Sendable {
  associatedtype Event: Hashable & Sendable
  associatedtype Directive: Hashable & Sendable

  mutating func handle(_ event: Event, at now: Instant) -> [Directive]

  /// When the caller must call again with `deadlineReached`, if nothing happens before.
  var deadline: Instant? { get }

  /// The event for a reached deadline. A no-op if it is early.
  static var deadlineReached: Event { get }
}

/// A machine whose events and directives are journalled, so that it can be replayed.
public protocol Core: Machine where Event: Codable, Directive: Codable {
  associatedtype Configuration: Codable & Hashable & Sendable

  /// The name under which journals record this core's events.
  static var name: String { get }

  init(configuration: Configuration)
}

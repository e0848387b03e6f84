// Ground: what every room may name, and nothing else: instants, the one shape of a state machine, who the processes are,
// what a claim is, 32 bytes and their text. Pure, and without Foundation: it imports nothing. A core owns no clock: the
// time comes in as an argument, so a journal can be replayed and a simulation can run years in minutes.

/// The one shape of every decision in the project.
///
/// A shell reads the world, calls `handle`, and carries out the directives in their order; it decides nothing.
/// Calling `handle` with an event that does not matter now is a no-op, never an error.
public protocol Machine: Hashable, Sendable {
  associatedtype Event: Hashable & Sendable
  associatedtype Directive: Hashable & Sendable

  mutating func handle(_ event: Event, at now: Instant) -> [Directive]

  /// When the shell must call again, if nothing happens before; with `deadlineReached`.
  var deadline: Instant? { get }

  /// The event that says: the deadline has come. Too early, it is a no-op.
  static var deadlineReached: Event { get }
}

/// A machine whose events and directives are written into a journal, from which it can be run again.
public protocol Core: Machine where Event: Codable, Directive: Codable {
  associatedtype Configuration: Codable & Hashable & Sendable

  /// The name under which journals record this core's events.
  static var name: String { get }

  init(configuration: Configuration)
}

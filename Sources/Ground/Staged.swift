/// A machine with named states, so that the transitions taken can be reported.
package protocol Staged {
  associatedtype Stage: RawRepresentable<UInt8> & CaseIterable & Hashable & Sendable

  var stage: Stage { get }

  /// The stages that one event can lead to, besides staying.
  static func next(after stage: Stage) -> [Stage]
}

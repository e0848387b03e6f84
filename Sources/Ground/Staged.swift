/// A machine whose states have names, so that it can be said which ways between them were taken.
package protocol Staged {
  associatedtype Stage: RawRepresentable<UInt8> & CaseIterable & Hashable & Sendable

  var stage: Stage { get }

  /// Where one event can lead from here, besides staying.
  static func next(after stage: Stage) -> [Stage]
}

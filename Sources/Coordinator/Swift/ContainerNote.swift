import SharedContainer

/// What somebody who looks after a phone may want to read. Nothing depends on it.
package enum ContainerNote: Hashable, Sendable, CustomStringConvertible {
  case intentHeldByAnother
  case intentDamaged(ContainerError)
  case roleLockGuardsAgain
  case roleLockHeldByAnother
  case roleLockDamaged(ContainerError)
  case beatNotWritten(ContainerError)

  package var description: String {
    switch self {
    case .intentHeldByAnother: "the intent lock is held by another app process; ours is only a message"
    case .intentDamaged(let error): "the intent is only a message: \(error)"
    case .roleLockGuardsAgain: "the role lock guards again"
    case .roleLockHeldByAnother: "the role lock is held by another process; this one may look dead"
    case .roleLockDamaged(let error): "the other process cannot see that this one lives: \(error)"
    case .beatNotWritten(let error): "no beat was written: \(error)"
    }
  }
}

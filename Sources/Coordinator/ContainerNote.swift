import SharedContainer

/// A note for the log. Nothing depends on it.
package enum ContainerNote: Hashable, Sendable, CustomStringConvertible {
  case intentHeldByAnother
  case intentDamaged(ContainerError)
  case roleLockGuardsAgain
  case roleLockHeldByAnother
  case roleLockDamaged(ContainerError)
  case beatNotWritten(ContainerError)

  package var description: String {
    switch self {
    case .intentHeldByAnother:
      "another app process holds the intent lock; this process's intent is only sent as a message"
    case .intentDamaged(let error):
      "the intent lock failed, so the intent is only sent as a message: \(error)"
    case .roleLockGuardsAgain: "the role lock is held again"
    case .roleLockHeldByAnother: "another process holds the role lock; this process may look dead to others"
    case .roleLockDamaged(let error):
      "the role lock failed, so this process may look dead to others: \(error)"
    case .beatNotWritten(let error): "no beat was written: \(error)"
    }
  }
}

import Ground

/// A timer of the event loop. Cancelling it twice, or after it fired, is a no-op.
public final class LoopTimer {
  public let instant: Instant
  let order: UInt64
  private var handler: (() -> Void)?
  private let forget: (LoopTimer) -> Void

  init(instant: Instant, order: UInt64, handler: @escaping () -> Void, forget: @escaping (LoopTimer) -> Void)
  {
    self.instant = instant
    self.order = order
    self.handler = handler
    self.forget = forget
  }

  public var isPending: Bool { handler != nil }

  public func cancel() {
    guard handler != nil else { return }
    handler = nil
    forget(self)
  }

  func fire() {
    let work = handler
    handler = nil
    work?()
  }
}

// CoordinatorC: `baton.h` on top of the coordinator, for C, Rust or Kotlin. It adds a queue of directives and decides
// nothing.

import CBaton

/// The object behind a C `baton`.
final class Handle {
  private(set) var coordinator: NodeCoordinator<CNode>?
  let outbox = Outbox()
  let node: CNode
  private let error = CText()

  init(_ options: baton_options) {
    node = CNode(outbox: outbox, options)
    error.set("")
  }

  func open(_ role: ProcessRole, _ directory: String, _ migrations: [String]) -> Int32 {
    do throws(CoordinatorError) {
      coordinator = try NodeCoordinator(
        role, directory: directory, migrations: migrations, node: node, phone: CPhone(outbox: outbox))
      return Code.ok
    } catch { return failed(error) }
  }

  var errorText: UnsafePointer<CChar>? { error.pointer }

  func failed(_ error: CoordinatorError) -> Int32 { failed(error.code, error.description) }

  func failed(_ code: Int32, _ sentence: String) -> Int32 {
    error.set(sentence)
    return code
  }

  func misuse(_ sentence: String) -> Int32 { failed(Code.misuse, sentence) }

  /// The node's lease, if it has this number.
  func lease(_ number: UInt64) -> Lease? {
    guard let lease = node.lease, lease.epoch == number else { return nil }
    return lease
  }

  /// A callback's code is returned unchanged.
  func running(_ body: () throws -> Void) -> Int32 {
    do {
      try body()
      return Code.ok
    } catch let error as CallersError { return failed(error.code, error.words) } catch let error
      as CoordinatorError
    {
      return failed(error)
    } catch { return failed(Code.sql, "\(error)") }
  }
}

/// The caller's callback, or a statement in it, did not return BATON_OK.
struct CallersError: Error {
  var code: Int32
  var words: String
}

import Ground
import Platform
import Guardrails

extension SharedContainer {
  /// The only way to write node state: the claim is checked, by epoch *and* incarnation, in the writing transaction. A
  /// superseded owner that thaws fails here, and changes nothing.
  public func fencedWrite<Value>(
    under claim: Claim, what: String, atMonotonic now: Instant, _ body: (NodeWriter) throws -> Value
  ) -> FencedResult<Value> {
    do {
      try checkIdentity()
      let result: FencedResult<Value> = try connection.transaction(.immediate) {
        try checkIdentity()
        let row = try ClaimTable(connection: connection).highestRow()
        guard claim.owns(row), row?.container == claim.container else { return .fenced(by: row) }
        let writer = NodeWriter(connection)
        defer { writer.end() }
        let value = try body(writer)
        try connection.execute(
          "INSERT INTO node_writes (epoch, incarnation, what, at_mono_ns) VALUES (?, ?, ?, ?)",
          [.unsigned(claim.epoch), .bits(claim.incarnation), .text(what), .integer(now.nanoseconds)])
        return .written(value)
      }
      isUnsettled = true
      // A commit into files that were unlinked meanwhile is not durable: it must not be acknowledged.
      try checkIdentity()
      return result
    } catch {
      switch obstacle(error) {
      case .blocked(let holder): return .blocked(holder)
      case .failed(let error): return .failed(error)
      }
    }
  }

  /// Reads node state under the same check as a write, in one transaction with the row.
  public func fencedRead<Value>(under claim: Claim, _ body: (NodeReader) throws -> Value) -> FencedResult<
    Value
  > {
    let result: ReadResult<FencedResult<Value>> = read { row, reader in
      guard claim.owns(row), row?.container == claim.container else { return .fenced(by: row) }
      return .written(try body(reader))
    }
    switch result {
    case .read(let answer): return answer
    case .blocked(let holder): return .blocked(holder)
    case .failed(let error): return .failed(error)
    }
  }
}

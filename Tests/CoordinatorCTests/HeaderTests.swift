import CBaton
import Coordinator
import Glibc
import TestKit

/// The functions of `baton.h`, called as a program in C calls them.
@Suite("Functions of baton.h") struct HeaderTests {
  private let caller = Caller()

  @Test func `A handle that could not be opened reports why and refuses every call`() throws {
    let (code, handle) = caller.open(BATON_APP, "/dev/null")
    expect(code, is: Int32(BATON_UNUSABLE))
    #expect(caller.error(handle).contains("/dev/null"))
    #expect(baton_want(handle) == Int32(BATON_MISUSE) && caller.error(handle) == "this handle was not opened")
    #expect(baton_wait(handle) == -1 && baton_process_to_watch(handle) == 0 && baton_listen(handle) == -1)
    expect(caller.open(7).code, is: Int32(BATON_MISUSE))
    var result: OpaquePointer?
    #expect(baton_open(nil, &result) == Int32(BATON_MISUSE) && result == nil)
  }

  @Test func `The functions of baton.h refuse a null handle`() {
    let codes = [
      baton_want(nil), baton_unwant(nil), baton_event(nil, nil), baton_wake(nil), baton_next(nil, nil),
      baton_write(nil, 1, nil, nil, nil), baton_read(nil, 1, nil, nil), baton_sql(nil, nil, nil, 0, nil, nil),
      baton_presence_arrived(nil),
    ]
    #expect(codes.allSatisfy { $0 == Int32(BATON_MISUSE) })
    expect(caller.error(nil), is: "there is no handle")
    baton_close(nil)
  }

  @Test func `The app starts its node, and stops it inside a background task`() {
    let (code, app) = caller.open()
    expect(code, is: Int32(BATON_OK))
    expect(baton_want(app), is: Int32(BATON_OK))
    expect(caller.carryOut(app).last.map { $0 == (BATON_SHOW, 0, BATON_STATUS_CONNECTED) }, is: true)
    #expect(baton_wait(app) > 0 && baton_wake(app) == Int32(BATON_OK))
    expect(baton_unwant(app), is: Int32(BATON_OK))
    let kinds = caller.carryOut(app).map(\.kind).filter {
      $0 != BATON_SHOW && $0 != BATON_MAY_CONNECT && $0 != BATON_SEND_PRESENCE
    }
    expect(kinds, is: [BATON_BEGIN_TASK, BATON_STOP_NODE, BATON_END_TASK])
    expect(baton_wait(app), is: -1)
  }

  @Test func `An extension cannot want the node, and malformed events are refused`() {
    let (_, wallet) = caller.open(BATON_EXTENSION)
    #expect(baton_want(wallet) == Int32(BATON_MISUSE) && baton_unwant(wallet) == Int32(BATON_MISUSE))
    expect(caller.event(wallet, 999), is: Int32(BATON_MISUSE))
    expect(caller.event(wallet, BATON_EVENT_PUSH, id: 1, code: 9), is: Int32(BATON_MISUSE))
    expect(
      caller.event(wallet, BATON_EVENT_PUSH, id: 1, code: BATON_REASON_OTHER, [1, 2]), is: Int32(BATON_MISUSE)
    )
    expect(caller.error(wallet), is: "a payment hash has 32 bytes")
    expect(caller.event(wallet, BATON_EVENT_RECEIVED, id: 1, [1]), is: Int32(BATON_MISUSE))
    #expect(caller.carryOut(wallet).allSatisfy { $0.kind == BATON_SHOW })
    expect(
      caller.event(wallet, BATON_EVENT_PUSH, id: 1, code: BATON_REASON_INCOMING_PAYMENT), is: Int32(BATON_OK))
    #expect(caller.carryOut(wallet).contains { $0.kind == BATON_START_NODE })
    expect(caller.event(wallet, BATON_EVENT_TIME_WILL_EXPIRE, id: 1), is: Int32(BATON_OK))
    let asked = caller.carryOut(wallet)
    #expect(asked.contains { $0 == (BATON_DELIVER, 1, BATON_RESULT_NOTHING_RECEIVED) })
    expect(asked.last.map { $0 == (BATON_FINISHED, 1, BATON_FINISH_TIME_WILL_EXPIRE) }, is: true)
  }

  @Test func `Values of every SQL type are written and read back`() {
    let (_, app) = caller.open()
    baton_want(app)
    let lease = caller.carryOut(app).first { $0.kind == BATON_START_NODE }?.id ?? 0
    let insert: baton_body = { access, _ in
      let memo = Array("für".utf8)
      let blob: [UInt8] = [0, 1]
      return memo.withUnsafeBytes { memo in
        blob.withUnsafeBytes { blob in
          var values = [baton_value](repeating: baton_value(), count: 4)
          values[0].type = Int32(BATON_INTEGER)
          values[0].integer = -5
          values[1].type = Int32(BATON_TEXT)
          values[1].bytes = memo.baseAddress
          values[1].length = memo.count
          values[2].type = Int32(BATON_BLOB)
          values[2].bytes = blob.baseAddress
          values[2].length = blob.count
          values[3].type = Int32(BATON_REAL)
          values[3].real = 0.5
          return baton_sql(access, "INSERT INTO payments VALUES (?, ?, ?, ?)", values, 4, nil, nil)
        }
      }
    }
    expect(baton_write(app, lease, "a payment", insert, nil), is: Int32(BATON_OK))
    final class Found { var text = "" }
    let found = Found()
    let read: baton_body = { access, context in
      let row: baton_row = { columns, count, context in
        guard let columns, let context, count == 5 else { return Int32(BATON_CALLERS) }
        let found = Unmanaged<Found>.fromOpaque(context).takeUnretainedValue()
        let memo = UnsafeRawBufferPointer(start: columns[1].bytes, count: columns[1].length)
        let blob = UnsafeRawBufferPointer(start: columns[2].bytes, count: columns[2].length)
        found.text =
          "\(columns[0].integer) \(String(decoding: memo, as: UTF8.self)) \(Array(blob)) \(columns[3].real) \((0..<5).map { columns[$0].type })"
        return Int32(BATON_OK)
      }
      return baton_sql(access, "SELECT *, NULL FROM payments", nil, 0, row, context)
    }
    expect(baton_read(app, lease, read, Unmanaged.passUnretained(found).toOpaque()), is: Int32(BATON_OK))
    expect(
      found.text, is: "-5 für [0, 1] 0.5 \([BATON_INTEGER, BATON_TEXT, BATON_BLOB, BATON_REAL, BATON_NULL])")
  }

  @Test
  func `An error code that a body returns is the call's result, and the body's writes are rolled back`() {
    let (_, app) = caller.open()
    baton_want(app)
    let lease = caller.carryOut(app).first { $0.kind == BATON_START_NODE }?.id ?? 0
    let giveUp: baton_body = { access, _ in
      _ = baton_sql(access, "INSERT INTO payments (number) VALUES (1)", nil, 0, nil, nil)
      return 123
    }
    expect(baton_write(app, lease, "given up", giveUp, nil), is: 123)
    let wrong: baton_body = { access, _ in
      baton_sql(access, "INSERT INTO nowhere VALUES (1)", nil, 0, nil, nil)
    }
    #expect(
      baton_write(app, lease, "wrong", wrong, nil) == Int32(BATON_SQL)
        && caller.error(app).contains("nowhere"))
    let guarded: baton_body = { access, _ in baton_sql(access, "DELETE FROM claims", nil, 0, nil, nil) }
    expect(baton_write(app, lease, "around the lease", guarded, nil), is: Int32(BATON_SQL))
    let isEmpty: baton_body = { access, _ in
      baton_sql(access, "SELECT number FROM payments", nil, 0, { _, _, _ in 99 }, nil)
    }
    expect(baton_read(app, lease, isEmpty, nil), is: Int32(BATON_OK))
    let stopped: baton_body = { access, _ in baton_sql(access, "SELECT 1", nil, 0, { _, _, _ in 124 }, nil) }
    expect(baton_read(app, lease, stopped, nil), is: 124)
    expect(baton_write(app, lease, "nothing", nil, nil), is: Int32(BATON_MISUSE))
  }

  @Test func `A wrong or expired lease writes nothing`() {
    let (_, app) = caller.open()
    baton_want(app)
    let lease = caller.carryOut(app).first { $0.kind == BATON_START_NODE }?.id ?? 0
    let insert: baton_body = { access, _ in
      baton_sql(access, "INSERT INTO payments (number) VALUES (1)", nil, 0, nil, nil)
    }
    expect(baton_write(app, lease + 1, "another's", insert, nil), is: Int32(BATON_FENCED))
    expect(baton_read(app, lease, nil, nil), is: Int32(BATON_OK))
    baton_unwant(app)
    _ = caller.carryOut(app)
    expect(baton_write(app, lease, "too late", insert, nil), is: Int32(BATON_FENCED))
    expect(baton_read(app, lease, nil, nil), is: Int32(BATON_FENCED))
  }

  @Test func `If the callback that reads the state fails, no node is started and the status is 'failed'`() {
    let (_, app) = caller.open(reading: { _, _ in 200 })
    baton_want(app)
    let asked = caller.carryOut(app)
    #expect(!asked.contains { $0.kind == BATON_START_NODE })
    expect(asked.last.map { $0 == (BATON_SHOW, 0, BATON_STATUS_FAILED) }, is: true)
  }

  @Test func `A path too long for a socket makes baton_listen fail`() {
    let (code, app) = caller.open(BATON_APP, caller.path + "/" + String(repeating: "x", count: 100))
    #expect(code == Int32(BATON_OK) && baton_listen(app) == -1)
    let (_, other) = caller.open()
    let descriptor = baton_listen(other)
    #expect(descriptor >= 0 && baton_listen(other) == descriptor)
    expect(baton_presence_arrived(other), is: Int32(BATON_OK))
  }
}

import DaemonRuntime

/// What comes over every local socket.
enum ControlMessageFuzz: FuzzTarget {
  static let name = "control-message"
  static let longestInput = 4096

  static var seeds: [[UInt8]] {
    let messages = [
      ControlMessage("status"),
      ControlMessage("hello", ["role": "extension", "pid": "4711"]),
      ControlMessage("push", ["id": "7", "deadline-ms": "123456"], body: Array("{\"aps\":{}}".utf8)),
      ControlMessage("invoice", ["amount-msat": "5000", "description": "a\\b\nc\rd", "wait": "yes"]),
      ControlMessage("send", ["invoice": "lnbcrt10u1p", "amount-msat": "5000", "request": "3"]),
      ControlMessage("elsewhere", ["amount-msat": "5000", "expiry-seconds": "60", "description": "b"]),
      ControlMessage(
        "send-done", ["request": "3", "state": "offered", "payment-hash": "00", "amount-msat": "5000"]),
      ControlMessage.error("the app is not open; open it with `baton app open`"),
    ]
    return messages.compactMap { try? $0.encoded() }
  }

  static func feed(_ bytes: [UInt8]) {
    do throws(ControlMessageError) {
      let message = try ControlMessage(decoding: bytes)
      promise((try? message.encoded()) == bytes, "what is read is not what would be written")
      readFields(of: message)
    } catch { promiseOneLine(error.description) }
  }

  private static func readFields(of message: ControlMessage) {
    for field in message.fields {
      do throws(ControlMessageError) {
        _ = try message.flag(field.name, default: false)
      } catch { promiseOneLine(error.description) }
      do throws(ControlMessageError) {
        let number = try message.integer(field.name, in: Int64(-5)...Int64.max)
        promise(number >= -5, "a number is out of its range")
      } catch { promiseOneLine(error.description) }
    }
  }
}

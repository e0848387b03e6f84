import Crypto
import DaemonRuntime
import Wallet

@testable import WalletProcess

/// The messages of every local socket.
enum ControlMessageFuzz: FuzzTarget {
  static let name = "control-message"
  static let longestInput = 4096

  static var seeds: [[UInt8]] {
    let messages = [
      ControlMessage("status"),
      ControlMessage("hello", ["role": "extension", "pid": "4711"]),
      ControlMessage("push", ["id": "7", "deadline-ms": "123456"], body: Array("{\"aps\":{}}".utf8)),
      ControlMessage("invoice", ["amount-msat": "5000", "description": "a\\b\nc\rd", "wait": "yes"]),
      ControlMessage("send", ["invoice": "lnbcrt10u1p", "amount-msat": "5000", "wait": "no"]),
      ControlMessage(
        "external-invoice", ["amount-msat": "5000", "expiry-seconds": "60", "description": "b"]),
      ControlMessage(
        "ask", ["request": "3"],
        body: Array("withdraw\namount-sat: 1\naddress: bcrt1q\n\n".utf8)),
      ControlMessage.error("the app is not open; open it with `baton app open`"),
    ]
    return messages.compactMap { try? $0.encoded() }
  }

  static func feed(_ bytes: [UInt8]) {
    do throws(ControlMessageError) {
      let message = try ControlMessage(decoding: bytes)
      promise((try? message.encoded()) == bytes, "a message does not round-trip")
      readFields(of: message)
      askApp(message)
    } catch { promiseOneLine(error.description) }
  }

  /// iosd passes a user's request on unread, so the app is its first parser.
  private static func askApp(_ message: ControlMessage) {
    guard let wallet = PrivateKey(SHA256.hash([1]))?.publicKey else { return }
    do { _ = try Request(message, from: wallet, atWallSeconds: 0) } catch { promiseOneLine("\(error)") }
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

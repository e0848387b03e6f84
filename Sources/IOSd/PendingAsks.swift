import DaemonRuntime

/// Callers waiting for an answer of the app. The core knows only the request's number; the contents are opaque to
/// iosd.
final class PendingAsks {
  private struct Ask {
    var request: UInt64
    var body: [UInt8]
    var answer: ControlMessage?
    var reply: (ControlMessage) -> Void
  }

  /// Fits into one message to the app together with the number.
  static let bodyMax = 16_384

  private var open: [Ask] = []
  private var nextRequest: UInt64 = 1

  func take(_ body: [UInt8], reply: @escaping (ControlMessage) -> Void) -> UInt64 {
    let request = nextRequest
    nextRequest &+= 1
    open.append(Ask(request: request, body: body, reply: reply))
    return request
  }

  func message(for request: UInt64) -> ControlMessage {
    let body = open.first { $0.request == request }?.body ?? []
    return ControlMessage("ask", ["request": "\(request)"], body: body)
  }

  func answer(_ request: UInt64, with answer: ControlMessage) {
    guard let index = open.firstIndex(where: { $0.request == request }) else { return }
    open[index].answer = answer
  }

  func passOn(_ request: UInt64) {
    guard let index = open.firstIndex(where: { $0.request == request }) else { return }
    let ask = open.remove(at: index)
    ask.reply(ask.answer ?? .error("the app did not answer; ask again"))
  }

  func refuse(_ request: UInt64, with error: ControlMessage) {
    answer(request, with: error)
    passOn(request)
  }
}

import DaemonRuntime

/// Who waits for which answer of the app. The core knows the number alone, and nobody here knows what it is about.
final class AskDesk {
  private struct Ask {
    var request: UInt64
    var body: [UInt8]
    var answer: ControlMessage?
    var reply: (ControlMessage) -> Void
  }

  /// With the number it is still one message to the app.
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
    ask.reply(ask.answer ?? .error("the app gave no answer; ask again"))
  }

  func refuse(_ request: UInt64, _ sentence: String) {
    answer(request, with: .error(sentence))
    passOn(request)
  }
}

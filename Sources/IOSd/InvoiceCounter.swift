import DaemonRuntime

/// Who waits for which invoice, or for one to be paid: the details stay here, the core knows the number alone.
final class InvoiceCounter {
  private struct Wish {
    var request: UInt64
    var verb: String
    var fields: [ControlMessage.Field]
    var answer: ControlMessage?
    var reply: (ControlMessage) -> Void
  }

  private var wishes: [Wish] = []
  private var nextRequest: UInt64 = 1

  func take(_ verb: String, _ fields: [ControlMessage.Field], reply: @escaping (ControlMessage) -> Void)
    -> UInt64
  {
    let request = nextRequest
    nextRequest &+= 1
    wishes.append(Wish(request: request, verb: verb, fields: fields, answer: nil, reply: reply))
    return request
  }

  func message(for request: UInt64) -> ControlMessage {
    let wish = wishes.first { $0.request == request }
    return ControlMessage(
      wish?.verb ?? "invoice", fields: [.init(name: "request", value: "\(request)")] + (wish?.fields ?? []))
  }

  func answer(_ request: UInt64, with answer: ControlMessage) {
    guard let index = wishes.firstIndex(where: { $0.request == request }) else { return }
    wishes[index].answer = answer
  }

  func passOn(_ request: UInt64) {
    guard let index = wishes.firstIndex(where: { $0.request == request }) else { return }
    let wish = wishes.remove(at: index)
    wish.reply(wish.answer ?? .error("the app gave no answer; ask again"))
  }

  func fail(_ request: UInt64, _ sentence: String) {
    answer(request, with: .error(sentence))
    passOn(request)
  }
}

import Ground
import Guardrails
import Lightning

/// The user's requests, from the request to the end. All kinds have one life: asked, prepared, given to the node,
/// begun (durable, and answered), ended. A named task keeps the app in the background meanwhile.
///
/// A task belongs to the process that began the request. A request left in the channel by an earlier process has no
/// task: the next owner of the node ends it (Phoenix too begins a task when a payment is made or progresses, and none
/// for a payment found at its start).
public struct Requests: Core {
  public static let name = "requests"
  public static var deadlineReached: RequestEvent { .deadlineReached }

  /// There are no settings.
  public struct Configuration: Hashable, Codable, Sendable { public init() {} }

  public struct Open: Hashable, Codable, Sendable {
    /// nil once the request is answered.
    public internal(set) var id: String?
    public internal(set) var request: Request
    /// nil before it is prepared.
    public internal(set) var key: RequestKey?
    public internal(set) var task: TaskBeginning?

    /// The request is durable: the next owner of the node brings it to its end.
    public var isBegun: Bool { id == nil }
  }

  /// A user asks for one invoice at a time; these wait while the container is blocked.
  public static let invoicesMax = 64
  /// The beginning of a refusal because the node is not held.
  public static let notHeld = "the wallet does not hold its node now"

  public private(set) var open: [Open] = []
  /// Of the newest task.
  public private(set) var generation: UInt64 = 0
  /// Since the oldest open `move`: a wallet that is already here connects without moving.
  private var hasMoved = false

  public init(configuration: Configuration = Configuration()) {}

  public var deadline: Instant? { nil }

  /// A move waits for the app's next status.
  var waitsForStatus: Bool { open.contains { $0.request == .move } }

  public mutating func handle(_ event: RequestEvent, at now: Instant) -> [RequestDirective] {
    switch event {
    case .deadlineReached: return []
    case .asked(let id, let request): return asked(id, request)
    case .invoiceMade(let id, let invoice):
      guard let index = index(id), case .invoice = open[index].request else { return [] }
      open[index].key = .invoice(invoice.paymentHash)
      return [.node(.invoiceMade(invoice))]
    case .invoiceNotMade(let id, let sentence): return index(id).map { refuse($0, sentence) } ?? []
    case .pastRead(let hash, let past):
      guard let payment = unbegunPayment(hash) else { return [] }
      return [.node(.payRequested(payment, past: past))]
    case .pastNotRead(let hash, let sentence):
      guard unbegunPayment(hash) != nil else { return [] }
      return index(.payment(hash)).map { refuse($0, sentence) } ?? []
    case .shown(let status): return shown(status)
    case .placeTaken:
      hasMoved = true
      return []
    case .node(let reply): return heard(reply)
    }
  }

  // MARK: Asked

  private mutating func asked(_ id: String, _ request: Request) -> [RequestDirective] {
    if let objection = request.objection(besides: open) {
      return [.answer(id, .refused(request.kind, objection))]
    }
    if request == .move, !waitsForStatus { hasMoved = false }
    let task = request.taskName(id, besides: open.compactMap(\.task?.name)).map { newTask($0) }
    open.append(Open(id: id, request: request, key: request.firstKey, task: task))
    let begin = task.map { [RequestDirective.beginTask($0)] } ?? []
    return begin + [request.preparation(id)]
  }

  private mutating func newTask(_ name: String) -> TaskBeginning {
    generation &+= 1
    return TaskBeginning(name: name, generation: generation)
  }

  // MARK: The app's status

  private mutating func shown(_ status: Status) -> [RequestDirective] {
    let answer: RequestAnswer
    switch status {
    case .connected(let epoch), .settling(let epoch): answer = .connected(epoch, hasMoved: hasMoved)
    case .usedByAnotherDevice, .peerOutOfReach, .trouble: answer = .refused(.move, status.text)
    case .idle:
      answer = .refused(
        .move, "the app went to the background before it was connected; open it and try again")
    case .waitingForExtension, .waitingForOther, .appGoesFirst, .blocked, .claiming, .connecting,
      .hinderedFromConnecting, .releasing:
      return []
    }
    let asked = open.filter { $0.request == .move }.compactMap(\.id)
    open.removeAll { $0.request == .move }
    return asked.map { .answer($0, answer) }
  }

  // MARK: The node

  private mutating func heard(_ reply: RequestEvent.NodeReply) -> [RequestDirective] {
    switch reply {
    case .goesOn(let payments, let splice): return nodeGoesOn(payments, splice)
    case .begun(let key, let splice): return begun(key, splice)
    case .refused(let key, let refusal, let status):
      guard let index = index(key), !open[index].isBegun else { return [] }
      let kind = open[index].request.kind
      let words = sentence(refusal, open[index].request, status)
      if case .unknown = refusal { return end(index, answering: .unknown(kind, words)) }
      return end(index, answering: .refused(kind, words))
    case .ended(let key): return index(key).map { end($0) } ?? []
    case .answered(let key, let answer):
      guard let index = index(key), let id = open[index].id else { return [] }
      return end(index) + [.answer(id, .webhook(answer))]
    }
  }

  /// The node has read the channel: another process may have owned it meanwhile and ended requests begun here. The
  /// node answers a request that is still unanswered.
  private mutating func nodeGoesOn(_ payments: [Bytes32], _ splice: TransactionID?) -> [RequestDirective] {
    let isOver = { (open: Open) in
      switch open.key {
      case .payment(let hash)?: open.isBegun && !payments.contains(hash)
      case .splice(let id?)?: id != splice
      default: false
      }
    }
    let ended = open.filter(isOver).compactMap(\.task)
    open.removeAll(where: isOver)
    return ended.map { .endTask($0) }
  }

  private mutating func begun(_ key: RequestKey, _ splice: PendingSplice?) -> [RequestDirective] {
    guard let index = index(splice == nil ? key : .splice(nil)) else { return [] }
    open[index].key = key
    guard let id = open[index].id, let answer = open[index].request.answer(begunAs: key, splice) else {
      return []
    }
    open[index].id = nil
    // A request without a task ends with its answer.
    if open[index].task == nil { open.remove(at: index) }
    return [.answer(id, answer)]
  }

  /// With the app's status, unless that is only "not wanted": otherwise opening the app again would not help.
  private func sentence(_ refusal: NodeRefusal, _ request: Request, _ status: Status?) -> String {
    switch refusal {
    case .because(let sentence), .unknown(let sentence): return sentence
    case .notHeld:
      guard let status, status != .idle else { return "\(Self.notHeld); \(request.adviceWithoutNode)" }
      return "\(Self.notHeld): \(status.text)"
    }
  }

  // MARK: Ends

  private mutating func refuse(_ index: Int, _ sentence: String) -> [RequestDirective] {
    end(index, answering: .refused(open[index].request.kind, sentence))
  }

  private mutating func end(_ index: Int, answering answer: RequestAnswer) -> [RequestDirective] {
    let id = open[index].id
    return end(index) + (id.map { [.answer($0, answer)] } ?? [])
  }

  private mutating func end(_ index: Int) -> [RequestDirective] {
    open.remove(at: index).task.map { [.endTask($0)] } ?? []
  }

  /// A request that is not prepared yet: the phone may give an identifier twice.
  private func index(_ id: String) -> Int? { open.firstIndex { $0.id == id && $0.key == nil } }

  private func index(_ key: RequestKey) -> Int? { open.firstIndex { $0.key == key } }

  private func unbegunPayment(_ hash: Bytes32) -> OutgoingPayment? {
    for open in open where open.key == .payment(hash) && !open.isBegun {
      if case .payment(let payment) = open.request { return payment }
    }
    return nil
  }
}

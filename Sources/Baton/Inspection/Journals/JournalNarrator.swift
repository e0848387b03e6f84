import DaemonRuntime
import Ground
import Guardrails
import LightningProvider
import PhonePolicy
import Wallet

/// Turns a record into sentences. For records that only a developer needs there is their JSON.
package struct JournalNarrator {
  package struct Sentence: Hashable, Sendable {
    package enum Weight: Hashable, Sendable {
      /// The record's JSON, where there is no sentence; shown with `--verbose` only.
      case json
      /// Shown with `--verbose`, and near one moment.
      case detail
      case normal
      /// Also printed while a story plays.
      case key
    }

    package var text: String
    package var weight: Weight

    /// Shown without `--verbose`.
    package var matters: Bool { weight != .detail && weight != .json }

    package init(_ text: String, matters: Bool = true) {
      self.text = text.onOneLine
      weight = matters ? .normal : .detail
    }

    package static func key(_ text: String) -> Sentence {
      var sentence = Sentence(text)
      sentence.weight = .key
      return sentence
    }
  }

  /// The reason of each process's pending claim, printed with its outcome.
  private var claimReasons: [Int32: String] = [:]

  package mutating func sentences(for entry: JournalMerger.Entry) -> [Sentence] {
    sentences(for: entry, entry.line.header.kind == "event" ? JournalEvent(entry.line) : nil)
  }

  mutating func sentences(for entry: JournalMerger.Entry, _ event: JournalEvent?) -> [Sentence] {
    let header = entry.line.header
    var sentences: [Sentence] = []
    if let lost = header.lostBefore {
      sentences.append(
        Sentence("\(HumanText.count(Int(clamping: lost), "record")) could not be written before this one"))
    }
    switch header.kind {
    case "start": sentences.append(Sentence("started as process \(entry.pid)"))
    case "end": sentences.append(Sentence("ended: \(header.reason ?? "no reason given")"))
    case "note": sentences.append(Sentence(header.text ?? ""))
    case "core": sentences.append(Sentence("begins core \(header.core ?? "?")", matters: false))
    case "event": sentences += eventSentences(entry, event)
    default: sentences.append(Sentence(entry.line.text, matters: false))
    }
    return sentences
  }

  private mutating func eventSentences(_ entry: JournalMerger.Entry, _ event: JournalEvent?) -> [Sentence] {
    let found: [Sentence]
    switch event {
    case .guardrail(let body, let role, let wallet):
      found = guardSentences(body, pid: entry.pid, by: role, in: wallet)
    case .node(let body): found = NodeSentences.of(body.event) + body.directives.flatMap(NodeSentences.of)
    case .requests(let body):
      found = WalletSentences.of(body.event) + body.directives.flatMap(WalletSentences.of)
    case .background(let body):
      found = WalletSentences.of(body.event) + body.directives.flatMap(WalletSentences.of)
    case .incoming(let body):
      found = WalletSentences.of(body.event) + body.directives.flatMap(WalletSentences.of)
    case .opening(let body):
      found = WalletSentences.of(body.event) + body.directives.flatMap(WalletSentences.of)
    case .peer(let body): found = PeerSentences.of(body.event) + body.directives.flatMap(PeerSentences.of)
    case .phone(let body): found = PhoneSentences.of(body.event) + body.directives.flatMap(PhoneSentences.of)
    case nil: found = []
    }
    return found.isEmpty ? [Self.raw(entry)] : found
  }

  private mutating func guardSentences(
    _ body: EventBody<GuardEvent, GuardDirective>, pid: Int32, by role: Role, in wallet: WalletProfile
  ) -> [Sentence] {
    var found: [Sentence] = []
    if case .claimed(let claim) = body.event {
      let reason = claimReasons.removeValue(forKey: pid).map { " (\($0))" } ?? ""
      found.append(.key("claimed epoch \(claim.epoch)\(reason)"))
    } else {
      found += GuardSentences.of(body.event, by: role)
    }
    for directive in body.directives {
      if case .container(.claim(_, let reason)) = directive { claimReasons[pid] = reason.sentence }
      found += GuardSentences.of(directive, in: wallet)
    }
    return found
  }

  /// The record's JSON from its core on: time and process are printed in front of it.
  private static func raw(_ entry: JournalMerger.Entry) -> Sentence {
    let text = entry.line.text
    let start = text.firstRange(of: "\"core\":").map { text[$0.lowerBound...] } ?? text[...]
    let short = start.prefix(240)
    var sentence = Sentence(short.count < start.count ? "\(short)…" : String(short), matters: false)
    sentence.weight = .json
    return sentence
  }
}

/// An event record, decoded by its core's types. Read once for everything that is said of it.
enum JournalEvent {
  case guardrail(EventBody<GuardEvent, GuardDirective>, Role, WalletProfile)
  case node(EventBody<NodeEvent, NodeDirective>)
  case requests(EventBody<RequestEvent, RequestDirective>)
  case background(EventBody<BackgroundEvent, BackgroundDirective>)
  case incoming(EventBody<IncomingEvent, IncomingDirective>)
  case opening(EventBody<OpeningEvent, OpeningDirective>)
  case peer(EventBody<PeerEvent, PeerDirective>)
  case phone(EventBody<PhoneEvent, PhoneDirective>)

  /// Nil for a core that has no sentences, and for a record that its types do not have.
  init?(_ line: JournalLine) {
    func read<Event, Directive>(_ made: (EventBody<Event, Directive>) -> JournalEvent) -> JournalEvent? {
      EventBody(line).map(made)
    }
    let event: JournalEvent?
    switch line.header.coreKind {
    case AppMachine.name, ExtensionMachine.name, TellingExtensionMachine.name:
      let name = line.header.core
      event = read {
        .guardrail(
          $0, name == AppMachine.name ? .app : .extension,
          WalletProfile.all.first { $0.extension.guardName == name } ?? .phoenix)
      }
    case NodeMachine.name: event = read { .node($0) }
    case Requests.name: event = read { .requests($0) }
    case BackgroundWork.name: event = read { .background($0) }
    case IncomingPayments.name: event = read { .incoming($0) }
    case Opening.name: event = read { .opening($0) }
    case PeerMachine.name: event = read { .peer($0) }
    case PhonePolicy.Phone.name: event = read { .phone($0) }
    default: event = nil
    }
    guard let event else { return nil }
    self = event
  }
}

/// The two members of an event record that belong to its core.
package struct EventBody<Event: Decodable, Directive: Decodable>: Decodable {
  package var event: Event
  package var directives: [Directive]

  package init?(_ line: JournalLine) {
    guard let body = try? JSONLineDecoder().decode(Self.self, from: line.value) else { return nil }
    self = body
  }
}

/// Sentences for user requests and background work. Events that `NodeSentences` or `GuardSentences` covers have none
/// here.
package enum WalletSentences {
  package typealias Sentence = JournalNarrator.Sentence

  package static func of(_ event: RequestEvent) -> [Sentence] {
    switch event {
    case .asked(_, let request): [Sentence("is asked \(request.words)")]
    case .invoiceNotMade(_, let why): [Sentence("cannot make the invoice: \(why)", matters: false)]
    case .pastNotRead(_, let why):
      [Sentence("cannot read earlier payments of the invoice: \(why)", matters: false)]
    case .deadlineReached, .invoiceMade, .pastRead, .shown, .placeTaken, .node: []
    }
  }

  package static func of(_ directive: RequestDirective) -> [Sentence] {
    switch directive {
    case .answer(_, .refused(let kind, let why)): [Sentence("refuses \(kind.words): \(why)")]
    case .answer(_, .unknown(let kind, let why)):
      [Sentence("does not know the outcome of \(kind.words): \(why)")]
    case .answer(_, .connected(let epoch, let hasMoved)):
      [
        Sentence(
          hasMoved
            ? "moved the wallet into this container, epoch \(epoch)"
            : "moves nothing: the wallet is already in this container, and connected")
      ]
    case .answer, .beginTask, .endTask, .moveHere, .makeInvoice, .readPast, .node: []
    }
  }

  package static func of(_ event: BackgroundEvent) -> [Sentence] {
    switch event {
    case .runBegan(let task, _): [Sentence("begins the scheduled task \(task.identifier)")]
    case .runExpires: [Sentence("is told that its scheduled task expires")]
    case .stepDone(_, .busy(let why)): [Sentence("delays its scheduled task: \(why)", matters: false)]
    case .nodeHindered(let why):
      [Sentence("cannot use the node for its scheduled task: \(why)", matters: false)]
    case .deadlineReached, .enteredForeground, .enteredBackground, .stepDone, .nodeReady, .nodeServed: []
    }
  }

  /// The process writes a note with the task's outcome.
  package static func of(_ directive: BackgroundDirective) -> [Sentence] { [] }
}

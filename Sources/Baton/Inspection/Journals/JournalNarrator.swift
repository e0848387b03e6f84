import Ground
import DaemonRuntime
import Foundation
import Guardrails

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

  package init() {}

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

  private mutating func eventSentences(
    _ entry: JournalMerger.Entry, _ event: JournalEvent?
  ) -> [Sentence] {
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
      if case .claim(_, let reason) = directive { claimReasons[pid] = reason.sentence }
      found += GuardSentences.of(directive, in: wallet)
    }
    return found
  }

  /// The record's JSON from its core on: time and process are printed in front of it.
  private static func raw(_ entry: JournalMerger.Entry) -> Sentence {
    let text = entry.line.text
    let start = text.range(of: "\"core\":").map { text[$0.lowerBound...] } ?? text[...]
    let short = start.prefix(240)
    var sentence = Sentence(short.count < start.count ? "\(short)…" : String(short), matters: false)
    sentence.weight = .json
    return sentence
  }
}

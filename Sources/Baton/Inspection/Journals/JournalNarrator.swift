import PhoneClient
import Ground
import DaemonRuntime
import Foundation
import Guardrails
import LightningNode
import LightningProvider
import PhonePolicy
import Wallet
import WalletProfiles

/// Turns a record into sentences. Records that only a developer needs have none; `--verbose` shows their JSON.
package struct JournalNarrator {
  package struct Sentence: Hashable, Sendable {
    package enum Weight: Hashable, Sendable {
      /// Shown with `--verbose` only.
      case detail
      case normal
      /// Also printed while a story plays.
      case key
    }

    package var text: String
    package var weight: Weight

    /// Shown without `--verbose`.
    package var matters: Bool { weight != .detail }

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
    case "event": sentences += eventSentences(entry)
    default: sentences.append(Sentence(entry.line.text, matters: false))
    }
    return sentences
  }

  private mutating func eventSentences(_ entry: JournalMerger.Entry) -> [Sentence] {
    let found: [Sentence]
    switch entry.line.header.coreKind {
    case AppMachine.name, ExtensionMachine.name, TellingExtensionMachine.name:
      guard let body = EventBody<GuardEvent, GuardDirective>(entry.line) else { return [Self.raw(entry)] }
      found = guardSentences(
        body, pid: entry.pid, by: entry.line.header.core == AppMachine.name ? .app : .extension,
        in: WalletProfile.all.first { $0.extension.guardName == entry.line.header.core } ?? .phoenix)
    case NodeMachine.name:
      guard let body = EventBody<NodeEvent, NodeDirective>(entry.line) else { return [Self.raw(entry)] }
      found = NodeSentences.of(body.event) + body.directives.flatMap(NodeSentences.of)
    case Requests.name:
      guard let body = EventBody<RequestEvent, RequestDirective>(entry.line) else { return [Self.raw(entry)] }
      found = WalletSentences.of(body.event) + body.directives.flatMap(WalletSentences.of)
    case BackgroundWork.name:
      guard let body = EventBody<BackgroundEvent, BackgroundDirective>(entry.line) else {
        return [Self.raw(entry)]
      }
      found = WalletSentences.of(body.event) + body.directives.flatMap(WalletSentences.of)
    case IncomingPayments.name:
      guard let body = EventBody<IncomingEvent, IncomingDirective>(entry.line) else {
        return [Self.raw(entry)]
      }
      found = WalletSentences.of(body.event) + body.directives.flatMap(WalletSentences.of)
    case Opening.name:
      guard let body = EventBody<OpeningEvent, OpeningDirective>(entry.line) else { return [Self.raw(entry)] }
      found = WalletSentences.of(body.event) + body.directives.flatMap(WalletSentences.of)
    case PeerMachine.name:
      guard let body = EventBody<PeerEvent, PeerDirective>(entry.line) else { return [Self.raw(entry)] }
      found = PeerSentences.of(body.event) + body.directives.flatMap(PeerSentences.of)
    case PhonePolicy.Phone.name:
      guard let body = EventBody<PhoneEvent, PhoneDirective>(entry.line) else { return [Self.raw(entry)] }
      found = PhoneSentences.of(body.event) + body.directives.flatMap(PhoneSentences.of)
    default: found = []
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
    return Sentence(short.count < start.count ? "\(short)…" : String(short), matters: false)
  }
}

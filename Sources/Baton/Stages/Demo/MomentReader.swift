import PhoneClient
import Inspection
import Guardrails
import LightningProvider
import PhonePolicy

/// Converts journal records to moments.
struct MomentReader {
  private var claimReasons: [Int32: String] = [:]

  mutating func moments(of entry: JournalMerger.Entry) -> [Moment] {
    what(entry).map { Moment(at: entry.line.at, process: entry.process, pid: entry.pid, what: $0) }
  }

  private mutating func what(_ entry: JournalMerger.Entry) -> [Moment.What] {
    guard entry.line.header.kind == "event" else { return [] }
    switch entry.line.header.core {
    case AppMachine.name, ExtensionMachine.name:
      guard let body = EventBody<GuardEvent, GuardDirective>(entry.line) else { return [] }
      return guarded(body, pid: entry.pid)
    case PeerMachine.name:
      guard let body = EventBody<PeerEvent, PeerDirective>(entry.line) else { return [] }
      return Self.of(body.event) + body.directives.flatMap(Self.of)
    case PhonePolicy.Phone.name:
      guard let body = EventBody<PhoneEvent, PhoneDirective>(entry.line) else { return [] }
      return body.directives.compactMap(Self.of)
    default: return []
    }
  }

  private mutating func guarded(
    _ body: EventBody<GuardEvent, GuardDirective>, pid: Int32
  ) -> [Moment.What] {
    var found: [Moment.What] = []
    switch body.event {
    case .claimed(let claim):
      found.append(.claimed(epoch: claim.epoch, reason: claimReasons[pid] ?? "no reason given"))
    case .node(.established): found.append(.established)
    case .node(.received(let payment)):
      found.append(.received(paymentHash: payment.paymentHash, msat: payment.amountMsat))
    case .node(.fenced): found.append(.fenced)
    case .node(.trouble(let sentence)): found.append(.trouble(sentence))
    default: break
    }
    for directive in body.directives {
      switch directive {
      case .claim(_, let reason): claimReasons[pid] = reason.sentence
      case .show(let status): found.append(.shows(status))
      case .beat(let epoch, .released, _): found.append(.released(epoch: epoch))
      case .finished(let push, let reason): found.append(.finished(push: push, reason.rawValue))
      default: break
      }
    }
    return found
  }

  private static func of(_ event: PeerEvent) -> [Moment.What] {
    guard case .payRequested(let request) = event else { return [] }
    return [.askedToPay(msat: request.amountMsat)]
  }

  private static func of(_ directive: PeerDirective) -> [Moment.What] {
    switch directive {
    case .requestPush: return [.pushRequested]
    case .answer(_, .held): return [.held]
    case .answer(_, .settled): return [.settled]
    case .answer(_, .failed(let failure)): return [.failed(failure.word)]
    case .store(let changes): return changes.compactMap(of)
    default: return []
    }
  }

  private static func of(_ change: LedgerChange) -> Moment.What? {
    guard case .connectionJudged(_, let verdict, let fence) = change else { return nil }
    switch verdict {
    case .accepted, .unfenced: return .accepted(epoch: fence?.epoch)
    case .refusedWithoutFence, .refusedLowerEpoch, .refusedOtherIncarnation, .refusedOtherContainer:
      return .refused
    case .visitor: return nil
    }
  }

  private static func of(_ directive: PhoneDirective) -> Moment.What? {
    switch directive {
    case .launch(let role, let reason): return .launched(role, reason.description)
    case .recordEnd(let role, let reason): return .ended(role, reason.description)
    case .show(let notification):
      return .notified(
        push: notification.push, key: notification.key, title: notification.text.title,
        body: notification.text.body)
    default: return nil
    }
  }
}

import Ground
import Guardrails
import Wallet

/// Observes a wallet's decisions, for checks and stories.
struct WorldObserver: WalletObserver {
  let role: Role
  /// Whether the story is recorded in `said`.
  let isRecorded: Bool
  private(set) var said: [Said] = []
  private(set) var ways: Ways
  private(set) var hasDecided = false
  private(set) var hasNodeMoved = false
  /// Claim and state of the node's last start.
  private(set) var started: (claim: Claim, state: NodeState)?
  /// The event ends tasks although their requests are still open.
  private(set) var excusesTasks = false
  /// The newest status of the guard.
  private(set) var shown: Status?
  private var stages: [UInt8] = []
  private var nodeStage: NodeMachine.Stage?

  init(_ role: Role, isRecorded: Bool, _ ways: Ways) {
    self.role = role
    self.isRecorded = isRecorded
    self.ways = ways
  }

  mutating func willHandle(_ event: GuardEvent, _ guardrail: WorldGuard) {
    stages.removeAll(keepingCapacity: true)
    guardrail.noteStages { stages.append($1) }
    if isRecorded { said.append(.heard(role, event)) }
  }

  mutating func handled(_ event: GuardEvent, _ directives: [GuardDirective], _ guardrail: WorldGuard) {
    var before = stages[...]
    guardrail.noteStages { machine, stage in
      if let from = before.popFirst() { ways.add(machine, from: from, to: stage) }
    }
    if !directives.isEmpty { hasDecided = true }
    if isRecorded { said += directives.map { .ordered(role, $0) } }
    for directive in directives { if case .show(let status) = directive { shown = status } }
    switch event {
    case .backgroundTimeExpired, .terminationRequested, .node(.fenced), .node(.refused), .claimFailed:
      excusesTasks = true
    default:
      // Its beat found the node owned by another process.
      if event.lossOfContainer != nil || directives.contains(.stopNode(gracefully: false)) {
        excusesTasks = true
      }
    }
  }

  mutating func willHandle(_ event: NodeEvent, _ node: NodeMachine) {
    nodeStage = node.stage
    if case .started(let claim, let state, _) = event { started = (claim, state) }
  }

  mutating func handled(_ event: NodeEvent, _ directives: [NodeDirective], _ node: NodeMachine) {
    if let before = nodeStage, before != node.stage {
      hasNodeMoved = true
      ways.add(.node, from: before.rawValue, to: node.stage.rawValue)
    }
    if !directives.isEmpty { hasDecided = true }
  }

  func handled(_: RequestEvent, _: [RequestDirective]) {}
  func handled(_: BackgroundEvent, _: [BackgroundDirective]) {}
}

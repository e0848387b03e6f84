import Ground
import Guardrails
import LightningNode
import Wallet

/// Looks on while a wallet of the world thinks: what the world checks and tells is taken from here.
struct WorldObserver: WalletObserver {
  let role: Role
  /// Whether somebody listens: nothing is written down otherwise.
  let isHeard: Bool
  private(set) var said: [Said] = []
  private(set) var ways: Ways
  private(set) var hasDecided = false
  private(set) var hasNodeMoved = false
  /// Under which the node was started last, and with what.
  private(set) var started: (claim: Claim, state: NodeState)?
  /// Something that ends a task although its request is not over.
  private(set) var excusesTasks = false
  /// The newest status of the guard.
  private(set) var shown: Status?
  private var stages: [UInt8] = []
  private var nodeStage: NodeMachine.Stage?

  init(_ role: Role, isHeard: Bool, _ ways: Ways) {
    self.role = role
    self.isHeard = isHeard
    self.ways = ways
  }

  mutating func willHandle(_ event: GuardEvent, _ guardrail: WorldGuard) {
    stages.removeAll(keepingCapacity: true)
    guardrail.noteStages { stages.append($1) }
    if isHeard { said.append(.heard(role, event)) }
  }

  mutating func handled(_ event: GuardEvent, _ directives: [GuardDirective], _ guardrail: WorldGuard) {
    var before = stages[...]
    guardrail.noteStages { machine, stage in
      if let from = before.popFirst() { ways.add(machine, from: from, to: stage) }
    }
    if !directives.isEmpty { hasDecided = true }
    if isHeard { said += directives.map { .ordered(role, $0) } }
    for directive in directives { if case .show(let status) = directive { shown = status } }
    switch event {
    case .backgroundTimeExpired, .terminationRequested, .node(.fenced), .node(.refused), .claimFailed:
      excusesTasks = true
    default:
      // Lost to another process, as its beat finds out.
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

import Glibc
import Ground
import Guardrails
import Simulation
import WalletProfiles
let arguments = CommandLine.arguments
let from = UInt64(arguments[2])!, to = UInt64(arguments[3])!
if arguments[1] == "explore" {
  var settings = ExploreSettings()
  settings.world.wallet = .bitkit
  settings.findsAll = true
  settings.bounds[.crashes] = Int(from); settings.bounds[.storageFaults] = Int(to)
  settings.bounds[.preemptions] = 0
  var explorer = Explorer(settings)
  while !explorer.isDone {
    var next = 0
    while next < explorer.waiting { explorer.take(explorer.expand(next..<min(next + 200, explorer.waiting))); next += 200 }
    explorer.finishLayer()
  }
  print("states", explorer.states, "healed", explorer.healed)
  for finding in explorer.findings {
    print(finding.violation)
    explorer.tell(finding.state) { world, _ in for said in world.takeSaid() { print("   ", String("\(said)".prefix(300))) } }
  }
} else {
  var (paid, payments, pushes) = (0, 0, 0)
  for seed in from...to {
    var settings = RunSettings(seed: seed)
    settings.world.wallet = arguments[1] == "bitkit" ? .bitkit : .phoenix
    var run = SeedRun(settings, isRecorded: arguments.count > 4)
    let result = run.run { world in
      if arguments.count > 4 { for said in world.takeSaid() { print(world.peerNow.nanoseconds / 1_000_000, String("\(said)".prefix(400))) } }
    }
    paid += result.paid; payments += result.payments; pushes += result.pushes
    if let violation = result.violation { print(seed, violation.invariant, violation.sentence) }
  }
  print("paid \(paid) of \(payments), pushes \(pushes)")
}

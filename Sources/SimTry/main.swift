import Simulation
import CoreShape
import Glibc
let from = UInt64(CommandLine.arguments[1])!, to = UInt64(CommandLine.arguments[2])!
var events: UInt64 = 0, moves: UInt64 = 0, sim: Int64 = 0, payments = 0, paid = 0, bad = 0, faults = 0, pushes = 0
var t0 = timespec(); clock_gettime(CLOCK_MONOTONIC, &t0)
for seed in from...to {
  var run = SeedRun(RunSettings(seed: seed))
  let r = run.run()
  events += r.deliveredEvents; moves += r.moves; sim += r.simulated.nanoseconds / 1000000; payments += r.payments; paid += r.paid; faults += r.faults.reduce(0, +); pushes += r.pushes
  if let v = r.violation { bad += 1; if bad < 15 { print(seed, v.invariant, v.sentence, r.simulated.nanoseconds / 1_000_000) } }
}
var t1 = timespec(); clock_gettime(CLOCK_MONOTONIC, &t1)
let s = Double(t1.tv_sec - t0.tv_sec) + Double(t1.tv_nsec - t0.tv_nsec) / 1e9
print("bad \(bad) events \(events) moves \(moves) sim \(Double(sim)/3.6e6) h payments \(payments) paid \(paid) pushes \(pushes) faults \(faults) in \(s) s: \(Double(events)/s) events/s, \(Double(sim)/1000/s)x, \(Double(payments)*3.6e6/Double(sim)) payments/h")

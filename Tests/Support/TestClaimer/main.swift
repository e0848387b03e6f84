// TestClaimer: a real process that claims, for tests that race, stop and kill it. It asserts what only it can see and
// exits with a sentence on failure; the tests check the rest.

import Ground
import Glibc
import Heartbeat
import SharedContainer

let arguments = CommandLine.arguments
guard arguments.count >= 4, let role = Role(rawValue: arguments[3]) else {
  fail("usage: TestClaimer race|contend|work|stop|recover|hold DIRECTORY app|extension [COUNT LOG COUNTER]")
}
let claimer = Claimer(directory: arguments[2], role: role)
switch arguments[1] {
case "race": claimer.race(rounds: count(), log: arguments[5], counter: arguments[6])
case "contend": claimer.contend(claims: count(), log: arguments[5], counter: arguments[6])
case "work": claimer.workUntilKilled()
case "stop": claimer.stopInsideClaim()
case "recover": claimer.stopInsideRecovery(arguments[2])
case "hold": claimer.holdUntilEndOfInput()
default: fail("unknown mode \(arguments[1])")
}

func count() -> Int {
  guard arguments.count == 7, let count = Int(arguments[4]) else { fail("expected COUNT LOG COUNTER") }
  return count
}

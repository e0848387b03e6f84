import Glibc

func say(_ text: String) {
  let bytes = Array(text.utf8)
  guard write(STDOUT_FILENO, bytes, bytes.count) == bytes.count else { exit(0) }
}

/// Waits for one byte; the end of the input ends the process.
func waitForByte(_ descriptor: Int32) {
  var byte: UInt8 = 0
  guard read(descriptor, &byte, 1) == 1 else { exit(0) }
}

/// Waits for the instant at which a round starts, then until then: a wake-up reaches one process dozens of
/// microseconds before the other, so the process that slept first would win nearly always.
func waitForStart(_ gate: Int32) {
  var start: Int64 = 0
  guard read(gate, &start, 8) == 8 else { exit(0) }
  var now = timespec()
  repeat {
    clock_gettime(CLOCK_MONOTONIC, &now)
  } while Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec) < start
}

/// On standard output, which the test reads.
func fail(_ sentence: String) -> Never {
  say(sentence + "\n")
  exit(3)
}

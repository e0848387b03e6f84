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

func fail(_ sentence: String) -> Never {
  let bytes = Array((sentence + "\n").utf8)
  _ = write(STDERR_FILENO, bytes, bytes.count)
  exit(3)
}

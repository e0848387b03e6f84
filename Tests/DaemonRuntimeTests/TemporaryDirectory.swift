func text(ofFile path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

func makePipe(nonblocking: Bool) -> (reader: Int32, writer: Int32) {
  var ends: [Int32] = [0, 0]
  precondition(pipe(&ends) == 0)
  for end in ends {
    _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    if nonblocking { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
  }
  return (ends[0], ends[1])
}

// TestStranger: somebody who has no business here. It knocks at the socket that it is told of, in one of several
// ways, says "ready" when it has, and stays until its standard input ends.
//
//     TestStranger hold COUNT PLACE      open so many connections and keep them
//     TestStranger drop COUNT PLACE      open so many, one after the other, and close each
//     TestStranger as-user UID PLACE     connect as that user; print what is said
//     TestStranger listen-as UID PLACE   listen there as that user; print each message that comes, and answer with noise
//
// PLACE is HOST:PORT, or the path of a Unix socket.

import CLinux
import DaemonRuntime
import Glibc

let words = TypedArguments.readOrExit()
guard words.count == 3, let number = Int(words[1]), let place = Place(words[2]) else {
  exitWithSentence(.wrongUsage, "TestStranger takes a way to knock, a number and a place")
}
var limit = rlimit()
getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
limit.rlim_cur = limit.rlim_max
setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)

switch words[0] {
case "hold":
  var held = 0
  while held < number {
    let descriptor = place.connect()
    // As many as the limit lets through, or as somebody is there for.
    if descriptor < 0 && [EMFILE, ENFILE, ECONNREFUSED, ENOENT].contains(errno) { break }
    if descriptor >= 0 { held += 1 }
  }
  printLine("ready \(held)")
case "drop":
  var dropped = 0
  for _ in 0..<number where close(place.connect()) == 0 { dropped += 1 }
  printLine("ready \(dropped)")
case "as-user":
  // From here on nothing of this process is root's any more.
  guard setgid(gid_t(number)) == 0, setuid(uid_t(number)) == 0 else {
    exitWithSentence(.inputOutputError, SystemError("become user \(number)").description)
  }
  let descriptor = place.connect()
  var buffer = [UInt8](repeating: 0, count: 4096)
  var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  poll(&waiting, 1, 20_000)
  let count = descriptor < 0 ? 0 : max(0, recv(descriptor, &buffer, buffer.count, 0))
  let said = try? ControlMessage(decoding: Array(buffer[..<count]))
  printLine(said?.errorSentence ?? "nothing was said")
case "listen-as":
  guard case .socket(let path) = place, getuid() == uid_t(number) || setgid(gid_t(number)) == 0,
    getuid() == uid_t(number) || setuid(uid_t(number)) == 0
  else { exitWithSentence(.inputOutputError, SystemError("become user \(number)").description) }
  listen(at: path)
default: exitWithSentence(.wrongUsage, "TestStranger knows hold, drop, as-user and listen-as")
}
var byte: UInt8 = 0
while read(standardInput, &byte, 1) > 0 {}

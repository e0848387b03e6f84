// TestForeignProcess: a process that does not belong to the phone. It connects to the given socket in one of several
// ways, prints "ready", and stays until its standard input ends.
//
//     TestForeignProcess hold COUNT PLACE      open COUNT connections and keep them
//     TestForeignProcess drop COUNT PLACE      open COUNT, one after the other, and close each
//     TestForeignProcess as-user UID PLACE     connect as that user; print the error it receives
//     TestForeignProcess listen-as UID PLACE   listen there as that user; print each message's verb and answer with noise
//
// PLACE is HOST:PORT, or the path of a Unix socket.

import CLinux
import DaemonRuntime
import Glibc

let words = TypedArguments.readOrExit()
guard words.count == 3, let number = Int(words[1]), let place = Place(words[2]) else {
  exitWithSentence(.wrongUsage, "give a mode, a number and a place")
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
    // As many as the descriptor limit allows, or as there is a listener for.
    if descriptor < 0 && [EMFILE, ENFILE, ECONNREFUSED, ENOENT].contains(errno) { break }
    if descriptor >= 0 { held += 1 }
  }
  printLine("ready \(held)")
case "drop":
  var dropped = 0
  for _ in 0..<number where close(place.connect()) == 0 { dropped += 1 }
  printLine("ready \(dropped)")
case "as-user":
  // From here on the process has no root rights.
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
default: exitWithSentence(.wrongUsage, "there is no such mode; give hold, drop, as-user or listen-as")
}
var byte: UInt8 = 0
while read(standardInput, &byte, 1) > 0 {}

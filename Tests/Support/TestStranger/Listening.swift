import CLinux
import DaemonRuntime
import Glibc

/// Takes every connection at that place until standard input ends, prints what is said there, and answers what no daemon of
/// a phone would.
func listen(at path: String) {
  let door = baton_seqpacket_socket()
  guard door >= 0, baton_unix_bind(door, path) == 0, chmod(path, 0o666) == 0, Glibc.listen(door, 16) == 0
  else {
    exitWithSentence(.inputOutputError, SystemError("listen on \(path)").description)
  }
  printLine("ready")
  var guests: [Int32] = []
  while true {
    var waiting = ([standardInput, door] + guests).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    poll(&waiting, nfds_t(waiting.count), -1)
    if waiting[0].revents != 0 { return }
    for guest in waiting.dropFirst(2) where guest.revents != 0 { hear(guest.fd, &guests) }
    if waiting[1].revents != 0, case let guest = baton_accept(door), guest >= 0 { guests.append(guest) }
  }
}

private func hear(_ guest: Int32, _ guests: inout [Int32]) {
  var buffer = [UInt8](repeating: 0, count: 4096)
  let count = recv(guest, &buffer, buffer.count, 0)
  guard count > 0 else {
    close(guest)
    guests.removeAll { $0 == guest }
    return
  }
  let message = try? ControlMessage(decoding: Array(buffer[..<count]))
  printLine("heard \(message?.verb ?? "noise")")
  let answer = Array("no message of any phone".utf8)
  send(guest, answer, answer.count, Int32(MSG_NOSIGNAL))
}
